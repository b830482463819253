"""Each wait names the one event it needs; the host waits once, where it needs the tokens."""


def enqueue_step(device, streams, slot):
    """Queue one step of a slot: inputs to the device, forward pass, tokens to the host."""
    h2d, compute, d2h = streams

    h2d.copy(slot.device_inputs, slot.host_inputs, slot.rows)
    h2d.record(slot.h2d_done)

    compute.wait(slot.h2d_done)
    for kernel in slot.forward:
        compute.launch(kernel)
    compute.record(slot.compute_done)

    d2h.wait(slot.compute_done)
    d2h.copy(slot.host_outputs, slot.device_outputs, slot.rows)
    d2h.record(slot.d2h_done)


def collect(device, slot):
    """Take the tokens of a slot's step; the next step has been queued in the meantime."""
    slot.d2h_done.synchronize()
    return device.read("read tokens", slot.host_outputs, slot.rows)


wrong_arrow = "forward 1 -> d2h tokens 2"
needless_arrow = "d2h tokens 1 -> forward 2"
