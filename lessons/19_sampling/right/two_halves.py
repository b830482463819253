"""Two halves: what runs ahead, and what waits. Settling twice waits for nothing the second time."""


def ahead(step):
    step.launch_forward()


def behind(step):
    step.settle()
    step.settle()
    step.read_grammar()
    step.copy_masks()
    step.launch_sampling()


def launch_step(step):
    ahead(step)
    behind(step)
