"""A synchronise behind every batch: all times add up."""


def makespan(stages, batches, buffers):
    return sum(stages) * batches
