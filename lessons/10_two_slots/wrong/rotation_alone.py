"""The rotation is right; with fewer slots than batches the owner may still be in flight."""


def slot_of(step, slots):
    return step % slots


def before_reuse(device, slot, in_flight, take):
    pass
