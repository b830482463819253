"""Keep what each batch in flight uses; whatever is freed must not be among it."""


def freed_too_early(log):
    in_use = {}
    for entry in log:
        if entry.what == "launch":
            in_use[entry.step] = entry.blocks
        elif entry.what == "done":
            del in_use[entry.step]
        elif entry.what == "free":
            (block,) = entry.blocks
            if any(block in blocks for blocks in in_use.values()):
                return block
    return None
