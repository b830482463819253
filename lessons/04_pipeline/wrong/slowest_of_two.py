"""Buffers count as so many pipelines side by side."""


def makespan(stages, batches, buffers):
    if buffers == 1:
        return sum(stages) * batches
    return sum(stages) * -(-batches // buffers)
