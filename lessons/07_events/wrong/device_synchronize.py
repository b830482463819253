"""Everything waits for everything."""


def enqueue_step(device, streams, slot):
    """Queue one step of a slot: inputs to the device, forward pass, tokens to the host."""
    h2d, compute, d2h = streams

    h2d.copy(slot.device_inputs, slot.host_inputs, slot.rows)
    h2d.record(slot.h2d_done)

    device.synchronize()
    for kernel in slot.forward:
        compute.launch(kernel)
    compute.record(slot.compute_done)

    device.synchronize()
    d2h.copy(slot.host_outputs, slot.device_outputs, slot.rows)
    d2h.record(slot.d2h_done)


def collect(device, slot):
    """Take the tokens of a slot's step; the next step has been queued in the meantime."""
    device.synchronize()
    return device.read("read tokens", slot.host_outputs, slot.rows)
