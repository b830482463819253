"""The entry in place of the block's number."""


def freed_too_early(log):
    in_use = {}
    for entry in log:
        if entry.what == "launch":
            in_use[entry.step] = entry.blocks
        elif entry.what == "done":
            del in_use[entry.step]
        elif entry.what == "free":
            if any(entry.blocks[0] in blocks for blocks in in_use.values()):
                return entry
    return None
