"""Nothing that the GPU computes gets shorter, so nothing is gained."""

chat_8b = long_context = drafter = host_processor = json_grammar = quiet_night = "nothing"
most_percent = 0
