"""Parts of a prompt are counted as computed output: more is computed than was scheduled."""


def settle(rows, tokens, step):
    for row, token in zip(rows, tokens, strict=True):
        row.request.computed += 1
        if row.samples and not row.request.finished:
            row.request.commit(token, step)
