"""Everybody at once."""


def next_batch(running, waiting, rows):
    batch = [request for request in running if not request.done]
    while waiting:
        batch.append(waiting.pop(0))
    return batch
