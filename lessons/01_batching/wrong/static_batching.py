"""The exercise as it was given: a batch stays together until its last request has ended."""


def next_batch(running, waiting, rows):
    if all(request.done for request in running):
        running = [waiting.pop(0) for _ in range(min(rows, len(waiting)))]
    return running
