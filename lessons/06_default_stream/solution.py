"""Who is ordered with whom, and who waits."""

snippet_a = "race"
snippet_b = "fine"
snippet_c = "stall"
snippet_d = "fine"
snippet_e = "race"
snippet_f = "stall"
