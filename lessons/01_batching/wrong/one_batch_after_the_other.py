"""Ended rows are left out, and nobody joins before the whole batch has ended."""


def next_batch(running, waiting, rows):
    batch = [request for request in running if not request.done]
    if not batch:
        batch = [waiting.pop(0) for _ in range(min(rows, len(waiting)))]
    return batch
