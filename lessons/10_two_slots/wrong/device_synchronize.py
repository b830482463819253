"""Wait for the whole device, then take what is needed."""


def slot_of(step, slots):
    return step % slots


def before_reuse(device, slot, in_flight, take):
    device.synchronize()
    while slot in in_flight:
        take()
