"""It waits for the tokens, but only after the grammar has been read."""


def launch_step(step):
    step.launch_forward()
    step.read_grammar()
    step.settle()
    step.copy_masks()
    step.launch_sampling()
