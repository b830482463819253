"""Fill once, then the pace of the slowest stage: as many buffers as one likes."""


def makespan(stages, batches, buffers):
    if buffers == 1:
        return sum(stages) * batches
    return sum(stages) + (batches - 1) * max(stages)
