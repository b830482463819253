"""The tokens have all been computed, and the grammar has not been told of them."""


def launch_step(step):
    step.launch_forward()
    step.device.synchronize()
    step.read_grammar()
    step.copy_masks()
    step.launch_sampling()
