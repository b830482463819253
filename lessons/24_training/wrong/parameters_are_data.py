"""What can be fetched can be fetched early, parameters included."""

load = copy = loss = schedule = checkpoint = "ahead"
reduce_last = "own"
clip = update = "all"
forward = "updated"
gather = "ahead"
