"""Lesson 18: take out the hidden synchronisations, and leave what is needed.

The server of lesson 07, as it looks after a year of small changes: it is right, and its GPU stands
idle half of the time. Somewhere in these two functions the host waits for the device nine times.
One wait is needed and stays. One orders something that an event orders without the host. One
fetches a value that the host will have anyway, a step later. The others are there for nobody.

`slot.inputs` and `slot.sampled` are tensors on the device. As with any such tensor, these make the
host wait until the device has come so far: .item(), .cpu(), .tolist(), .nonzero(), printing it,
and using it as a condition. Its .shape is known on the host, and costs nothing.

    slot.end(row)               tell the server that this row's text has ended
    stream.record(event)        let the event stand for all work of the stream so far
    stream.wait(event)          hold back the stream's later work until the event is reached
    event.synchronize()         hold back the host until the event is reached

Check it with:  python -m lessons check 18
"""

END = 7
"""A token that can be divided by it ends its row's text."""


def enqueue_step(device, streams, slot):
    """Queue one step of a slot: inputs to the device, forward pass, tokens to the host."""
    h2d, compute, d2h = streams
    device.synchronize()  # start from a clean state, so that the timer is right

    h2d.copy(slot.device_inputs, slot.host_inputs, slot.rows)
    h2d.record(slot.h2d_done)
    h2d.synchronize()  # the inputs have to be there before the kernels start
    active = len(slot.inputs.nonzero())  # rows in use; no row holds token 0

    for kernel in slot.forward:
        compute.launch(kernel)
    compute.record(slot.compute_done)
    device.synchronize()  # stop the timer

    for row in range(active):
        if slot.sampled[row].item() % END == 0:
            slot.end(row)
    print(f"sampled: {slot.sampled}")

    d2h.wait(slot.compute_done)
    d2h.copy(slot.host_outputs, slot.device_outputs, active)
    d2h.record(slot.d2h_done)


def collect(device, slot):
    """Take the tokens of a slot's step; the next step has been queued in the meantime."""
    slot.d2h_done.synchronize()
    device.synchronize()  # to be sure
    if slot.sampled.cpu() is None:
        raise RuntimeError("no tokens")
    return device.read("read tokens", slot.host_outputs, slot.rows)
