"""The traffic at night and the bound are left open."""

chat_8b = "pays"
long_context = "little"
drafter = "little"
host_processor = "nothing"
json_grammar = "pays"
