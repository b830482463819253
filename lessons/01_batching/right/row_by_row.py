"""Each row keeps its request until that has ended, and then takes the next one."""


def next_batch(running, waiting, rows):
    seats = list(running) + [None] * (rows - len(running))
    for place, request in enumerate(seats):
        if request is None or request.done:
            seats[place] = waiting.pop(0) if waiting else None
    return [request for request in seats if request is not None]
