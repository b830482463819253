"""Only those that were there already go on."""


def next_batch(running, waiting, rows):
    return [request for request in running if not request.done]
