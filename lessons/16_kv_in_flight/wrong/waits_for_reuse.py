"""A block is reported only when somebody else has got it."""


def freed_too_early(log):
    in_use = {}
    for entry in log:
        if entry.what == "launch":
            in_use[entry.step] = entry.blocks
        elif entry.what == "done":
            del in_use[entry.step]
        elif entry.what == "take":
            if any(entry.blocks[0] in blocks for blocks in in_use.values()):
                return entry.blocks[0]
    return None
