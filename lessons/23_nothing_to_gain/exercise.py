"""Lesson 23: does it pay to let the host run ahead? Say so before anything is measured.

    "pays"     the same work takes at least a tenth less time
    "little"   it takes less time, but not a tenth less
    "nothing"  it takes as long as before

Times are those of one step: C and F on the host, G on the device, copies short. Fill in your
answers, or answer on the lesson's page. The check runs each engine both ways:

    python -m lessons check 23
"""

# An 8B model, 32 rows: C + F = 6 ms, G = 18 ms.
chat_8b = None

# A large model over very long contexts: C + F = 8 ms, G = 240 ms.
long_context = None

# A tiny model under a Python scheduler: C + F = 9 ms, G = 0.4 ms.
drafter = None

# C + F = 8 ms, G = 20 ms; a plug-in reads all logits on the host and picks the token there.
host_processor = None

# C + F = 8 ms, G = 20 ms; a grammar on the host allows or forbids tokens at every step.
json_grammar = None

# One short request a minute arrives. How much more is delivered in an hour?
quiet_night = None

# Whatever C, G and F are: at most how much of the synchronous time can overlap save, in percent?
# Two points.
most_percent = None
