"""The first three alone."""

snippet_a = "race"
snippet_b = "fine"
snippet_c = "stall"
snippet_d = None
snippet_e = None
snippet_f = None
