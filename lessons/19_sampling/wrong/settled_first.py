"""Right, and slow: nothing is queued until the host has seen the last token."""


def launch_step(step):
    step.settle()
    step.read_grammar()
    step.copy_masks()
    step.launch_forward()
    step.launch_sampling()
