"""The grammar is read, and the device never hears of it."""


def launch_step(step):
    step.launch_forward()
    step.settle()
    step.read_grammar()
    step.launch_sampling()
