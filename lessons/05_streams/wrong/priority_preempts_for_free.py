"""A priority makes time."""

host_free_ms = 0.3
a2_starts_ms = 3.1
one_ends_ms = 6.1
two_ends_ms = 10.1
on_one_stream = "same"
short_ends_ms = 3.2
long_ends_ms = 8.1
