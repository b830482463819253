"""The long part runs ahead; only what needs the last token waits for it."""


def launch_step(step):
    """Queue one step."""
    step.launch_forward()
    step.settle()
    step.read_grammar()
    step.copy_masks()
    step.launch_sampling()
