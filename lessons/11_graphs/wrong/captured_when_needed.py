"""Captures at the first use."""

wrong_step = 6

GRAPHS = {}


def capture_all(capture, new_pool, slots, sizes):
    GRAPHS.clear()
    GRAPHS["how"] = capture, new_pool(), sizes


def graph_for(device, step, slot, rows):
    capture, pool, sizes = GRAPHS["how"]
    size = min(size for size in sizes if size >= rows)
    if (slot, size) not in GRAPHS:
        GRAPHS[slot, size] = capture(slot, size, pool)
    return GRAPHS[slot, size]
