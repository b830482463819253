"""Lesson 03: five questions about the synchronous step.

Fill in your answers, or answer them on the lesson's page. Check them with:

    python -m lessons check 03
"""

# C = 2 ms, G = 6 ms, F = 0, taking turns: how long do three batches take (ms)?
worked_total_ms = None

# The small model of the second scene: the idle share of its GPU (%). Two points.
small_idle_percent = None

# The first scene: how long would a step be without any gap (ms)?
possible_step_ms = None

# G is halved, C and F stay. The idle share: "grows", "shrinks" or "stays"?
faster_gpu = None

# A larger batch: G grows, C and F hardly. The idle share: "grows", "shrinks" or "stays"?
larger_batch = None
