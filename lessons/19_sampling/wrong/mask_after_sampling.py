"""The mask is right and comes when the token has been chosen."""


def launch_step(step):
    step.launch_forward()
    step.launch_sampling()
    step.settle()
    step.read_grammar()
    step.copy_masks()
