"""Lesson 12: fourteen facts and jobs. When is each one ready for step t+1, while step t runs?

    "now"      the host knows it, or can do it, while step t is still being computed
    "device"   it depends on the new token, and is used on the device without the host
    "after"    the host needs the token: it can only be done once step t's results are there

Fill in your answers, or answer on the lesson's page. Check them with:

    python -m lessons check 12
"""

# How long the context of each running request is
context_length = None

# A request's longest length and its priority
limits = None

# How many tokens the next step may have at most
budget = None

# Which waiting requests may join
who_joins = None

# Which KV blocks are free, and the block table of the next step
blocks = None

# The position and the KV place of the token that is still to come
position = None

# The id of the new token, as the next step's input
new_token = None

# Drawing the token from the logits
draw = None

# How many drafts were accepted, as the length of the next step's inputs
accepted = None

# Whether the request has just written EOS, to give its row to another
eos = None

# Whether a stop string has been completed
stop_string = None

# The text to be sent to the client
stream = None

# How many tokens are billed
billing = None

# The state of a JSON grammar that the host keeps
grammar = None
