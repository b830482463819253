"""Every row is booked, every request decided, and only what was spoilt is thrown away."""

MOST_FAILURES = 2


def recover(batch, later, engine):
    """Settle a batch that has no results."""
    retried = set()
    for row in batch.rows:
        engine.lost(row)
        request = row.request
        if not request.wants_tokens:
            continue
        if request.failures > MOST_FAILURES:
            engine.fail(request)
        else:
            engine.retry(request)
            retried.add(request.id)
    for behind in later:
        for row in behind.rows:
            if row.request.id in retried:
                engine.discard(row)
