"""Takes two streams for twice the speed."""

host_free_ms = 0.3
a2_starts_ms = 3.1
one_ends_ms = 6.1
two_ends_ms = 6.3
on_one_stream = "later"
short_ends_ms = 3.2
long_ends_ms = 8.1
