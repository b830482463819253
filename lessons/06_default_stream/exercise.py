"""Lesson 06: six snippets, on the default stream and off it.

The snippets stand in the lesson's text. Say for each:

    "race"     something may be read before it has been written, whatever the clock says today
    "stall"    the results are right, and independent work or the host stands still for nothing
    "fine"     right, and whoever waits waits for what it needs

Fill in your answers, or answer on the lesson's page. Check them with:

    python -m lessons check 06
"""

# A side stream of PyTorch computes, the default stream copies the result out
snippet_a = None

# Everything on the default stream
snippet_b = None

# Something small on the default stream, between two blocking streams
snippet_c = None

# As A, and the default stream waits for an event first
snippet_d = None

# The default stream alone, and the host reads when the copy call has returned
snippet_e = None

# Two streams of PyTorch, and a result copied to pageable memory
snippet_f = None
