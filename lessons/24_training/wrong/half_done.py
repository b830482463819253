"""What is about parameters is left open."""

load = copy = loss = schedule = checkpoint = "ahead"
reduce_last = "own"
clip = update = "all"
