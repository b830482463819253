"""First the rows, then the requests; what was spoilt is thrown away for those that end, too."""


def recover(batch, later, engine):
    for row in batch.rows:
        engine.lost(row)
    spoilt = {row.request.id for row in batch.rows}
    for row in [row for behind in later for row in behind.rows if row.request.id in spoilt]:
        engine.discard(row)
    waiting = [row.request for row in batch.rows if row.request.wants_tokens]
    for request in waiting:
        decide = engine.retry if request.failures <= 2 else engine.fail
        decide(request)
