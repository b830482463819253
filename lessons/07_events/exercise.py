"""Lesson 07: put the missing waits back.

`enqueue_step` queues one step on three streams, and `collect` takes its tokens one step later.
Everything runs, nothing waits: the streams know nothing of each other, and the host reads
whatever lies in its memory. Three waits are missing. Put back these three and no more.

    stream.copy(target, source, rows)   copy between host and device, in the stream's order
    stream.launch(kernel)               start a kernel, in the stream's order
    stream.record(event)                let the event stand for all work of the stream so far
    stream.wait(event)                  hold back the stream's later work until the event is reached
    event.synchronize()                 hold back the host until the event is reached

Check it with:  python -m lessons check 07
"""


def enqueue_step(device, streams, slot):
    """Queue one step of a slot: inputs to the device, forward pass, tokens to the host."""
    h2d, compute, d2h = streams

    h2d.copy(slot.device_inputs, slot.host_inputs, slot.rows)
    h2d.record(slot.h2d_done)

    for kernel in slot.forward:
        compute.launch(kernel)
    compute.record(slot.compute_done)

    d2h.copy(slot.host_outputs, slot.device_outputs, slot.rows)
    d2h.record(slot.d2h_done)


def collect(device, slot):
    """Take the tokens of a slot's step; the next step has been queued in the meantime."""
    return device.read("read tokens", slot.host_outputs, slot.rows)


# Your answers to the two timelines on the lesson's page, such as "forward 0 -> d2h tokens 0":
wrong_arrow = ""
needless_arrow = ""
