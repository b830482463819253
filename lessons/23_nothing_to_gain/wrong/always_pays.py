"""Async is switched on, so everything is faster."""

chat_8b = long_context = drafter = host_processor = json_grammar = quiet_night = "pays"
most_percent = 50
