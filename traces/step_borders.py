"""Which gaps lie between two steps, and not within one.

Where steps are known by marks of the host, an operation is of the step in which it was launched;
where they are known by kernels, of the one in which it ran. What is copied before a step's first
kernel stands between two steps.
"""

import numpy as np

from traces.gap import Gap
from traces.schema import Trace
from traces.step_parts import issued
from traces.steps import Steps


class StepBorders:
    """The borders of `steps` on each device of a trace."""

    def __init__(self, trace: Trace, steps: Steps) -> None:
        self._has_borders = steps.count > 1
        ops = trace.gpu_spans()
        ops = ops[ops["kind"] == "kernel"] if steps.on_device else ops
        at = ops["ts_ns"].to_numpy() if steps.on_device else issued(trace, ops)
        edges = [*(step.start_ns for step in steps.steps), *(s.end_ns for s in steps.steps[-1:])]
        step = np.searchsorted(edges, at, side="right")
        self._on = {
            device: (ops["ts_ns"].to_numpy()[places], step[places])
            for device, places in ops.groupby("device").indices.items()
        }

    def between(self, gap: Gap) -> bool:
        """Whether what ran before a gap and what comes after it are of different steps."""
        if not self._has_borders or gap.device not in self._on:
            return False
        starts, step = self._on[gap.device]
        after = int(starts.searchsorted(gap.end_ns))
        if not 0 < after < len(starts):
            return True
        return bool(step[after - 1] != step[after])
