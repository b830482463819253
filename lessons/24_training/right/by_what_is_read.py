"""From what each task reads: data, gradients of one layer, gradients of all, or new parameters."""

NEEDS = {
    "data": "ahead",
    "old parameters": "ahead",
    "gradients of a layer": "own",
    "gradients": "all",
    "new parameters": "updated",
}

load = copy = loss = schedule = NEEDS["data"]
checkpoint = NEEDS["old parameters"]
reduce_last = NEEDS["gradients of a layer"]
clip = update = NEEDS["gradients"]
forward = gather = NEEDS["new parameters"]
