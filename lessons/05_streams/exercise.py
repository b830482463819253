"""Lesson 05: predict three timelines.

The programs stand in the lesson's text. A launch takes the host 0.1 ms in all three (a slow host,
so that it shows). Times are in ms from the host's first call.

Fill in your answers, or answer on the lesson's page. Check them with:

    python -m lessons check 05
"""

# Program 1: when has the host got control back from its last call (ms)?
host_free_ms = None

# Program 1: when does A2 start (ms)?
a2_starts_ms = None

# Program 1: when is everything done (ms)?
one_ends_ms = None

# Program 2: when is everything done (ms)?
two_ends_ms = None

# Program 2 on one stream: everything done "earlier", at the "same" time, or "later"?
on_one_stream = None

# Program 3: when does S end (ms)?
short_ends_ms = None

# Program 3: when does L end (ms)?
long_ends_ms = None
