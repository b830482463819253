"""The same answers as sums."""

LAUNCH = 0.1

host_free_ms = 3 * LAUNCH
a2_starts_ms = LAUNCH + 3
one_ends_ms = LAUNCH + max(3 + 3, 2 * LAUNCH + 4)
two_ends_ms = LAUNCH + sum((4, 4, 2))
on_one_stream = "same"
short_ends_ms = 2 * LAUNCH + 2 + 1
long_ends_ms = LAUNCH + 8 + 1
