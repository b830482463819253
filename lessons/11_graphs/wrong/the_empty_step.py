"""The right code, and the step without rows for an answer."""

wrong_step = 5

GRAPHS = {}


def capture_all(capture, new_pool, slots, sizes):
    pool = new_pool()
    for slot in range(slots):
        for size in sizes:
            GRAPHS[slot, size] = capture(slot, size, pool)


def graph_for(device, step, slot, rows):
    size = min(size for _, size in GRAPHS if size >= rows)
    return GRAPHS[slot, size]
