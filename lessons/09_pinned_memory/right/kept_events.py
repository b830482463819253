"""Buffers are pinned unless told otherwise; the event of a slot's tokens is kept until taken."""

COUNT = 4
TO_TAKE = {}


def host_buffer(device, what, slot):
    return device.buffer(what, "rows", (COUNT,), on_host=True, slot=slot)


def enqueue_step(device, streams, slot):
    arrived, computed, done = map(device.event, ("arrived", "computed", "done"))
    streams[0].copy(slot.device_inputs, slot.host_inputs, slot.rows)
    streams[0].record(arrived)
    streams[1].wait(arrived)
    list(map(streams[1].launch, slot.forward))
    streams[1].record(computed)
    streams[2].wait(computed)
    streams[2].copy(slot.host_outputs, slot.device_outputs, slot.rows)
    streams[2].record(done)
    TO_TAKE[slot.number] = done


def collect(device, slot):
    TO_TAKE.pop(slot.number).synchronize()
    return device.read("take", slot.host_outputs, slot.rows)
