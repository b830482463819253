"""The numbers of a run, from its trace and its log."""

from dataclasses import dataclass
from typing import Any

from engine.oplog import OpKind, OpLog
from traces import Gap, Trace, device_activity, gaps_by_cause


@dataclass(frozen=True)
class Figures:
    """Times in ms; `gpu_active` between 0 and 1: union of the kernels over the wall time.

    `gaps` is idle time by cause; `measured_gpu_ms` what the engine's own timer says of a step,
    `wasted_rows` how many rows were computed whose result was thrown away.
    """

    wall_ms: float
    gpu_active: float
    gpu_idle_ms: float
    step_ms: float
    gaps: dict[str, float]
    peak: dict[str, int]
    measured_gpu_ms: float
    wasted_rows: int


def time_figures(trace: Trace, gaps: list[Gap], wall_ns: int, steps: int) -> dict[str, Any]:
    """The figures that need the trace and its gaps alone, by the names of `Figures`."""
    busy_ns = sum(device.compute_ns for device in device_activity(trace))
    return {
        "wall_ms": wall_ns / 1e6,
        "gpu_active": busy_ns / wall_ns if wall_ns else 0.0,
        "gpu_idle_ms": (wall_ns - busy_ns) / 1e6,
        "step_ms": wall_ns / 1e6 / max(1, steps),
        "gaps": {cause: ns / 1e6 for cause, ns in gaps_by_cause(gaps).items()},
    }


def measured_gpu_ms(log: OpLog, by_events: bool) -> float:
    """GPU time a step as the engine's own timer sees it (ms).

    Between device events it is right; a host clock read right after the launch sees only
    how long launching took.
    """
    spans: dict[int, list[int]] = {}
    for op in log:
        if op.kind is OpKind.KERNEL:
            start, end = (op.start_ns, op.end_ns) if by_events else (op.call_ns, op.issue_ns)
            known = spans.setdefault(op.step, [start, end])
            known[1] = max(known[1], end)
    return sum(end - start for start, end in spans.values()) / 1e6 / max(1, len(spans))
