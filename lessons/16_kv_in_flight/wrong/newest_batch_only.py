"""Only the batch that was launched last is looked at: with more in flight that is not enough."""


def freed_too_early(log):
    newest = ()
    for entry in log:
        if entry.what == "launch":
            newest = entry.blocks
        elif entry.what == "free" and entry.blocks[0] in newest:
            return entry.blocks[0]
    return None
