"""Answers in words of one's own."""

snippet_a = "it races"
snippet_b = "fine"
snippet_c = "it stalls"
snippet_d = "fine"
snippet_e = "it races"
snippet_f = "it stalls"
