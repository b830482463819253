"""The pace of the slowest stage, without filling and draining."""


def makespan(stages, batches, buffers):
    return max(stages) * batches if buffers > 1 else sum(stages) * batches
