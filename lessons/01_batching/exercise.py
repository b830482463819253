"""Lesson 01: put the batch together anew at every step.

Twelve requests wait; four rows can be computed in one step. Before each step the engine calls
your function. A request that is in the batch gets one token in that step.

    running   the requests of the step before; those with `request.done` have all their tokens
    waiting   the requests that have not begun yet, a list; take one with waiting.pop(0)
    rows      how many requests fit into one step

Check it with:  python -m lessons check 01
"""


def next_batch(running, waiting, rows):
    """The requests of the next step, a list. This is static batching; make it continuous."""
    if all(request.done for request in running):
        running = [waiting.pop(0) for _ in range(min(rows, len(waiting)))]
    return running
