"""A count for every block: how many batches under way use it."""

from collections import Counter


def freed_too_early(log):
    users, blocks_of = Counter(), {}
    for entry in log:
        if entry.what == "launch":
            blocks_of[entry.step] = entry.blocks
            users.update(entry.blocks)
        if entry.what == "done":
            users.subtract(blocks_of[entry.step])
        if entry.what == "free" and users[entry.blocks[0]] > 0:
            return entry.blocks[0]
