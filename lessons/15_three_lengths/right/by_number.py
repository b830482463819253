"""Row numbers are kept beside the rows that count."""


def settle(rows, tokens, step):
    numbers = [number for number, row in enumerate(rows) if row.samples]
    for number in numbers:
        request = rows[number].request
        if not request.finished:
            request.computed = len(request.tokens) + 1
            request.commit(tokens[number], step)
