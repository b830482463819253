"""The first ended row ends the loop: the rows behind it get nothing."""


def settle(rows, tokens, step):
    for row, token in zip(rows, tokens, strict=True):
        if row.request.finished:
            break
        if row.samples:
            row.request.computed += 1
            row.request.commit(token, step)
