"""Lesson 04: how long does a pipeline take?

Every batch goes through all stages in order. A stage works on one batch at a time. At most
`buffers` batches are in the pipeline: the first stage may begin batch n only when batch
n - buffers has left the last stage.

    makespan([2, 6], batches=3, buffers=1)  is 24: one buffer means taking turns
    makespan([2, 6], batches=3, buffers=2)  is 20
    makespan([8, 6], batches=3, buffers=2)  is 30

Check it with:  python -m lessons check 04
"""


def makespan(stages, batches, buffers):
    """The time from the first batch's beginning to the last one's end, in ms.

    stages: the time of each stage in ms, such as [2, 6] for host and device.
    """
    return 0
