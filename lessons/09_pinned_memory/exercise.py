"""Lesson 09: a pipeline whose copies overlap nothing.

This server is right: nothing races, every token is as it should be. It has three streams, and it
is as slow as a synchronous one, for each copy keeps the host until it is over. Make the copies
asynchronous. Afterwards ask once more who waits for what: with slow copies some questions never
came up.

    device.buffer(..., pinned=...)      host memory; pinned (page-locked) or pageable
    stream.copy(target, source, rows)   asynchronous where the host's side is pinned
    stream.record(event), stream.wait(event), event.synchronize()   as in lesson 07

Check it with:  python -m lessons check 09
"""

ROWS = 4


def host_buffer(device, what, slot):
    """Host memory for a slot, made once: `what` is "host inputs" or "host outputs"."""
    return device.buffer(what, "tokens", (ROWS,), on_host=True, slot=slot, pinned=False)


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
    return device.read("read tokens", slot.host_outputs, slot.rows)
