"""Asynchronous is faster, so everything runs ahead."""

load = copy = loss = schedule = checkpoint = "ahead"
reduce_last = clip = update = forward = gather = "ahead"
