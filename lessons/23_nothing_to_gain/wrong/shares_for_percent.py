"""A half is written as 0.5, and the question asks for percent."""

chat_8b = "pays"
long_context = "little"
drafter = "little"
host_processor = "nothing"
json_grammar = "pays"
quiet_night = "nothing"
most_percent = 0.5
