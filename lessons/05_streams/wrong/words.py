"""Units in the answers."""

host_free_ms = "0.3 ms"
a2_starts_ms = "3.1 ms"
one_ends_ms = "6.1 ms"
two_ends_ms = "10.1 ms"
on_one_stream = "same"
short_ends_ms = "3.2 ms"
long_ends_ms = "9.1 ms"
