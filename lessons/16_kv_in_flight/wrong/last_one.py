"""The last block that was freed too early in place of the first."""


def freed_too_early(log):
    in_use, found = {}, None
    for entry in log:
        if entry.what == "launch":
            in_use[entry.step] = entry.blocks
        elif entry.what == "done":
            del in_use[entry.step]
        elif entry.what == "free":
            if any(entry.blocks[0] in blocks for blocks in in_use.values()):
                found = entry.blocks[0]
    return found
