"""Inputs are pinned in every step, as pin_memory() in the loop does."""

ROWS = 4


def host_buffer(device, what, slot):
    return device.buffer(
        what, "tokens", (ROWS,), on_host=True, slot=slot, pinned=what == "host outputs"
    )


def enqueue_step(device, streams, slot):
    h2d, compute, d2h = streams

    staging = device.buffer("staging", "tokens", (ROWS,), on_host=True, slot=slot.number)
    values = device.read("take inputs", slot.host_inputs, slot.rows)
    device.write("stage inputs", [(staging, slot.rows, values)])
    h2d.copy(slot.device_inputs, staging, slot.rows)
    h2d.record(slot.h2d_done)

    compute.wait(slot.h2d_done)
    for kernel in slot.forward:
        compute.launch(kernel)
    compute.record(slot.compute_done)

    d2h.wait(slot.compute_done)
    d2h.copy(slot.host_outputs, slot.device_outputs, slot.rows)
    d2h.record(slot.d2h_done)


def collect(device, slot):
    slot.d2h_done.synchronize()
    return device.read("read tokens", slot.host_outputs, slot.rows)
