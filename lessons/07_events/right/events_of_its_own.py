"""Waits issued in another order, and events of its own beside those of the slot."""


def enqueue_step(device, streams, slot):
    arrived = device.event("inputs arrived")
    computed = device.event("tokens computed")
    streams.h2d.copy(slot.device_inputs, slot.host_inputs, slot.rows)
    streams.h2d.record(arrived)
    streams.compute.wait(arrived)
    list(map(streams.compute.launch, slot.forward))
    streams.compute.record(computed)
    streams.d2h.wait(computed)
    streams.d2h.copy(slot.host_outputs, slot.device_outputs, slot.rows)
    streams.d2h.record(slot.d2h_done)


def collect(device, slot):
    slot.d2h_done.synchronize()
    return device.read("tokens", slot.host_outputs, slot.rows)


wrong_arrow = "forward 1 -> d2h tokens 2"
needless_arrow = "d2h tokens 1 -> forward 2"
