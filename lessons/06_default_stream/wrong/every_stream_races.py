"""Two streams without an event always race."""

snippet_a = "race"
snippet_b = "fine"
snippet_c = "race"
snippet_d = "fine"
snippet_e = "race"
snippet_f = "fine"
