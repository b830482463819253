"""A stage begins a batch when the batch has left the stage before, and the stage is free; the
first stage also waits for a buffer."""


def makespan(stages, batches, buffers):
    ends = []  # of each batch: when it leaves each stage
    for batch in range(batches):
        at = ends[batch - buffers][-1] if batch >= buffers else 0
        row = []
        for number, duration in enumerate(stages):
            free = ends[-1][number] if ends else 0
            at = max(at, free) + duration
            row.append(at)
        ends.append(row)
    return ends[-1][-1] if ends else 0
