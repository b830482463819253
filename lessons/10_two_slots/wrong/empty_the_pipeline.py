"""Everything is taken before a slot is used again: right, and synchronous."""


def slot_of(step, slots):
    return step % slots


def before_reuse(device, slot, in_flight, take):
    while in_flight:
        take()
