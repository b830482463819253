"""Rows of ended requests are taken out before the tokens are handed out: everybody moves up."""


def settle(rows, tokens, step):
    wanted = [row for row in rows if not row.request.finished]
    for row, token in zip(wanted, tokens, strict=False):
        if row.samples:
            row.request.computed += 1
            row.request.commit(token, step)
