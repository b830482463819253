"""As given, with the forward pass first: the masks are still those of the token before."""


def launch_step(step):
    step.launch_forward()
    step.read_grammar()
    step.copy_masks()
    step.launch_sampling()
