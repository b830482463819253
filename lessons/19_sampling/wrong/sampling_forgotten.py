"""Nothing ever chooses a token."""


def launch_step(step):
    step.launch_forward()
    step.settle()
    step.read_grammar()
    step.copy_masks()
