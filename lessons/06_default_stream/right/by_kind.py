"""The same answers, sorted by what happens."""

snippet_a = snippet_e = "race"
snippet_c = snippet_f = "stall"
snippet_b = snippet_d = "fine"
