"""The policy as a function of its own, with its own count of failures."""

from collections import Counter

SEEN = Counter()


def may_try_again(request):
    SEEN[request.id] += 1
    return SEEN[request.id] < 3


def recover(batch, later, engine):
    again = []
    for row in reversed(batch.rows):
        engine.lost(row)
        if row.request.wants_tokens:
            if may_try_again(row.request):
                again.append(row.request.id)
                engine.retry(row.request)
            else:
                engine.fail(row.request)
    for behind in reversed(later):
        [engine.discard(row) for row in behind.rows if row.request.id in again]
