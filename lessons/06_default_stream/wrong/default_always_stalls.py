"""The default stream waits for all streams: so it stalls, and never races."""

snippet_a = "stall"
snippet_b = "stall"
snippet_c = "stall"
snippet_d = "stall"
snippet_e = "stall"
snippet_f = "fine"
