"""A call that returns at once costs nothing."""

host_free_ms = 0
a2_starts_ms = 3
one_ends_ms = 6
two_ends_ms = 10
on_one_stream = "same"
short_ends_ms = 3
long_ends_ms = 9
