"""The whole device is waited for, to be on the safe side."""


def launch_step(step):
    step.launch_forward()
    step.device.synchronize()
    step.settle()
    step.read_grammar()
    step.copy_masks()
    step.device.synchronize()
    step.launch_sampling()
