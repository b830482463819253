"""One iterator for the tokens; `next` is called for every row, wanted or not. What arrived for a
request that has ended was computed, too: it is counted, and not committed."""


def settle(rows, tokens, step):
    results = iter(tokens)
    for row in rows:
        token = next(results)
        if row.samples:
            row.request.computed += 1
            if not row.request.finished:
                row.request.commit(token, step)
