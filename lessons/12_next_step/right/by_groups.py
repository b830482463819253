"""The same, group by group."""

context_length = limits = budget = who_joins = blocks = position = "now"
new_token = draw = accepted = "device"
eos = stop_string = stream = billing = grammar = "after"
