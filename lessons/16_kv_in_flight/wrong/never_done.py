"""Batches are noted when they are launched and never crossed out."""


def freed_too_early(log):
    used = set()
    for entry in log:
        if entry.what == "launch":
            used.update(entry.blocks)
        elif entry.what == "free" and entry.blocks[0] in used:
            return entry.blocks[0]
    return None
