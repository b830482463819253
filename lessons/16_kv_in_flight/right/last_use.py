"""The other way round: the last batch that used the block must be done where it is freed."""


def freed_too_early(log):
    last_use, done = {}, set()
    for entry in log:
        match entry.what:
            case "launch":
                last_use.update(dict.fromkeys(entry.blocks, entry.step))
            case "done":
                done.add(entry.step)
            case "free":
                block = entry.blocks[0]
                if block in last_use and last_use[block] not in done:
                    return block
    return None
