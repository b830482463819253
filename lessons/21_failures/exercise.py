"""Lesson 21: a retry policy with nothing leaked.

A kernel of one batch has failed, and the wait for its results has just said so. `recover` is
called in place of settling the batch. The batches behind it are in flight already, and for the
requests of the failed one they compute with tokens and keys that were never made.

    batch.rows             the rows of the failed batch
    later                  the batches in flight behind it, the oldest first, each with its rows
    row.request            whose row it is
    request.id             its name
    request.wants_tokens   False if it has ended, or its client has gone, in the meantime
    request.failures       how many batches with it have failed, this one included

    engine.lost(row)       book a row of the failed batch: its result will never come
    engine.discard(row)    a row of a later batch: throw its result away when it comes
    engine.retry(request)  compute the request again, from its committed tokens
    engine.fail(request)   end the request, and tell its client

The policy: whoever was in a failed batch is computed again, but after MOST_FAILURES failures of
its batches a request ends as failed. Everybody else goes on as if nothing had happened.
`engine.device` is the device with its streams, should you want it.

Check it with:  python -m lessons check 21
"""

MOST_FAILURES = 2


def recover(batch, later, engine):
    """Settle a batch that has no results."""
    for row in batch.rows:
        engine.retry(row.request)
