"""What an unfinished prompt samples is taken for a token."""


def settle(rows, tokens, step):
    for row, token in zip(rows, tokens, strict=True):
        if not row.request.finished:
            row.request.computed += 1
            row.request.commit(token, step)
