"""Lesson 16: find the KV block that was freed too early.

`log` is what one run of an engine did with its pool, in the order of the host's program. Entries
are of four kinds:

    entry.what == "launch"   batch entry.step was launched; its kernels read or write entry.blocks
    entry.what == "done"     the host has the results of batch entry.step: its kernels have ended
    entry.what == "free"     the one block in entry.blocks went back to the pool
    entry.what == "take"     the one block in entry.blocks was handed out to a request

A block is freed too early if a batch may still use it. It need not be handed out again for that:
who will get it, and when, is nothing that the one who frees it can know.

Return the number of the first block that was freed too early, or None if there is none. Your
function is tried on runs that are right and on runs with a fault. Check it with:

    python -m lessons check 16
"""


def freed_too_early(log):
    """The first block that was freed too early, or None."""
    return None
