"""Lesson 11: find the graph that is replayed on the wrong slot.

A server runs its forward pass from CUDA graphs. A graph is captured for one slot's addresses and
for so many rows; a batch with fewer rows is padded. `capture_all` is called once, before serving,
and `graph_for` before each replay. Two things are wrong here, and neither is a matter of order.

    capture(slot, size, pool)   capture the forward pass of `size` rows on the buffers of `slot`;
                                what passes from kernel to kernel lies in `pool`
    new_pool()                  a memory pool; as large as the largest graph that is captured in it

Part 1. The scene "Find the fault" of the lesson shows this code at work on two slots. Which is the
first step that replays a graph of the other slot?

Part 2. Mend the code. It must hold for any number of slots, and use no more memory than it needs.

Check it with:  python -m lessons check 11
"""

# The first step whose graph belongs to the other slot
wrong_step = None

GRAPHS = {}


def capture_all(capture, new_pool, slots, sizes):
    """Capture every graph that will be needed. Slots are 0 to slots - 1; sizes ascend."""
    for slot in range(slots):
        for size in sizes:
            GRAPHS[slot, size] = capture(slot, size, new_pool())


def graph_for(device, step, slot, rows):
    """The graph to replay for a batch of `rows` rows whose buffers are those of `slot`."""
    size = min(size for _, size in GRAPHS if size >= rows)
    return GRAPHS[step % 2, size]
