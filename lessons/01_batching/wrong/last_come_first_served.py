"""From the wrong end of the queue."""


def next_batch(running, waiting, rows):
    batch = [request for request in running if not request.done]
    while waiting and len(batch) < rows:
        batch.append(waiting.pop())
    return batch
