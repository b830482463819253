"""One graph for each size: it computes the same, whatever the slot."""

wrong_step = 6

GRAPHS = {}


def capture_all(capture, new_pool, slots, sizes):
    pool = new_pool()
    for size in sizes:
        GRAPHS[size] = capture(0, size, pool)


def graph_for(device, step, slot, rows):
    return GRAPHS[min(size for size in GRAPHS if size >= rows)]
