"""One graph a slot, for the largest batch: everything is padded to it."""

wrong_step = 6

GRAPHS = {}


def capture_all(capture, new_pool, slots, sizes):
    pool = new_pool()
    for slot in range(slots):
        GRAPHS[slot] = capture(slot, max(sizes), pool)


def graph_for(device, step, slot, rows):
    return GRAPHS[slot]
