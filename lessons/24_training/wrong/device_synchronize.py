"""A synchronise behind every step: nothing begins before the update is over."""

load = copy = loss = schedule = checkpoint = "updated"
reduce_last = clip = update = forward = gather = "updated"
