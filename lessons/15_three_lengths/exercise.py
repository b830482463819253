"""Lesson 15: settle a batch whose rows may have ended in the meantime.

Batch t+1 was launched before the host knew what batch t sampled. So a row of it may belong to a
request that has ended since. `settle` is called for every batch with the tokens in the order of
the rows. What stands below commits everything, which was right as long as nothing ran ahead.

    rows      the batch's rows, in order; tokens[i] is what row i sampled
    step      the number of the batch

    row.request            whose row it is
    row.samples            False for a part of a prompt that is not its last: what it samples means
                           nothing
    request.finished       True once it has ended (EOS, or its longest length)
    request.computed       how many of its results have arrived; yours to keep
    request.tokens         its committed tokens
    request.commit(token, step)   accept one more; this also ends the request where it has to

Only results that count are counted as computed and committed. Always, for every request:
scheduled >= computed >= committed. Check it with:  python -m lessons check 15
"""


def settle(rows, tokens, step):
    """Give every token to whom it belongs, or to nobody."""
    for row, token in zip(rows, tokens, strict=True):
        row.request.commit(token, step)
