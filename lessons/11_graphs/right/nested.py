"""The same in a list of lists, ordered as they are captured."""

wrong_step = 6

GRAPHS = []
SIZES = []


def capture_all(capture, new_pool, slots, sizes):
    shared = new_pool()
    GRAPHS[:] = [[capture(slot, size, shared) for size in sizes] for slot in range(slots)]
    SIZES[:] = sizes


def graph_for(device, step, slot, rows):
    place = next(n for n, size in enumerate(SIZES) if rows <= size)
    return GRAPHS[slot][place]
