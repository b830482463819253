"""The published 24 %, wherever the host's work can be hidden at all."""

chat_8b = "pays"
long_context = "pays"
drafter = "pays"
host_processor = "nothing"
json_grammar = "nothing"
quiet_night = "nothing"
most_percent = 24
