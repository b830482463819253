"""A list of free times, one a stage, and a queue of buffers."""

from collections import deque


def makespan(stages, batches, buffers):
    free = [0.0] * len(stages)
    buffer_free = deque([0.0] * buffers)
    for _ in range(batches):
        now = buffer_free.popleft()
        for stage, duration in enumerate(stages):
            now = max(now, free[stage]) + duration
            free[stage] = now
        buffer_free.append(now)
    return free[-1]
