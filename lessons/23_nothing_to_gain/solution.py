"""Everything follows from saved = min(G, C + F) / (C + G + F), if nothing forbids running ahead."""

chat_8b = "pays"
long_context = "little"
drafter = "little"
host_processor = "nothing"
json_grammar = "pays"
quiet_night = "nothing"
most_percent = 50
