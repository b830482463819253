"""Work on the default stream is synchronous with the host."""

snippet_a = "race"
snippet_b = "fine"
snippet_c = "stall"
snippet_d = "fine"
snippet_e = "fine"
snippet_f = "stall"
