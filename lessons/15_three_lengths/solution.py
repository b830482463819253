"""Every row takes its token; only then it is asked whether anybody wants it."""


def settle(rows, tokens, step):
    for row, token in zip(rows, tokens, strict=True):
        request = row.request
        if request.finished or not row.samples:
            continue
        request.computed += 1
        request.commit(token, step)
