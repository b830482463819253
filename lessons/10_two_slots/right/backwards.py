"""The other way round: any rotation will do."""


def slot_of(step, slots):
    return slots - 1 - step % slots


def before_reuse(device, slot, in_flight, take):
    for _ in range(in_flight.count(slot)):
        take()


too_early = "h2d tokens 3"
