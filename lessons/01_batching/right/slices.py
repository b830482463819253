"""Count the free rows, and take so many from the front."""


def next_batch(running, waiting, rows):
    kept = list(filter(lambda request: request.left, running))
    free = rows - len(kept)
    joining, waiting[:] = waiting[:free], waiting[free:]
    return kept + joining
