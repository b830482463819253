"""The same as a recurrence, written down as it is spoken."""

from functools import lru_cache


def makespan(stages, batches, buffers):
    @lru_cache(None)
    def end(batch, stage):
        if batch < 0:
            return 0
        before = end(batch, stage - 1) if stage else end(batch - buffers, len(stages) - 1)
        return max(before, end(batch - 1, stage)) + stages[stage]

    return end(batches - 1, len(stages) - 1)
