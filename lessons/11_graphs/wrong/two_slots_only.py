"""Counts its own calls, by two."""

wrong_step = 6

GRAPHS = {}
CALLS = [0]


def capture_all(capture, new_pool, slots, sizes):
    pool = new_pool()
    for slot in range(slots):
        for size in sizes:
            GRAPHS[slot, size] = capture(slot, size, pool)


def graph_for(device, step, slot, rows):
    CALLS.append(step)
    size = min(size for _, size in GRAPHS if size >= rows)
    return GRAPHS[len(CALLS) % 2, size]
