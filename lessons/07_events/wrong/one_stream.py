"""One stream for everything: the order is right, and nothing overlaps."""


def enqueue_step(device, streams, slot):
    """Queue one step of a slot: inputs to the device, forward pass, tokens to the host."""
    compute = streams.compute

    compute.copy(slot.device_inputs, slot.host_inputs, slot.rows)
    compute.record(slot.h2d_done)

    for kernel in slot.forward:
        compute.launch(kernel)
    compute.record(slot.compute_done)

    compute.copy(slot.host_outputs, slot.device_outputs, slot.rows)
    compute.record(slot.d2h_done)


def collect(device, slot):
    """Take the tokens of a slot's step; the next step has been queued in the meantime."""
    slot.d2h_done.synchronize()
    return device.read("read tokens", slot.host_outputs, slot.rows)
