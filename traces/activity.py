"""How busy each device was: exact figures from interval unions.

Busy is the union of kernels, copies and memsets over *all* streams of a device, so
overlapping work counts once. The span runs from the first to the last GPU event.
Every busy instant is in one class, the first that fits: compute, exposed communication,
copy only, memset only.
Active is not the same as efficient: it says that something ran, not how well.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from traces import intervals
from traces.communication import is_communication
from traces.schema import COPY_KINDS, Trace


@dataclass(frozen=True)
class DeviceActivity:
    """Activity of one device, all times in integer ns.

    `compute_ns` counts kernels other than communication; `communication_ns` those of NCCL,
    RCCL and the like, and `exposed_communication_ns` the part of them under which nothing
    was computed. `copy_ns` counts copies, `copy_compute_overlap_ns` the time in which a copy
    and a kernel of either class ran together, `copy_only_ns` the rest of the copies.
    `streams` are those that did GPU work.
    """

    device: int
    start_ns: int
    end_ns: int
    busy_ns: int
    compute_ns: int
    communication_ns: int
    exposed_communication_ns: int
    copy_ns: int
    copy_compute_overlap_ns: int
    streams: tuple[int, ...]

    @property
    def span_ns(self) -> int:
        """Time from the first to the last GPU event."""
        return self.end_ns - self.start_ns

    @property
    def idle_ns(self) -> int:
        """Time within the span in which no stream did anything."""
        return self.span_ns - self.busy_ns

    @property
    def copy_only_ns(self) -> int:
        """Time in which copies ran and no kernel."""
        return self.copy_ns - self.copy_compute_overlap_ns

    @property
    def active(self) -> float:
        """Busy share of the span, 0 to 1."""
        return self.busy_ns / self.span_ns if self.span_ns else 0.0

    @property
    def compute_active(self) -> float:
        """Share of the span in which a kernel other than communication ran, 0 to 1."""
        return self.compute_ns / self.span_ns if self.span_ns else 0.0


def span_union(spans: pd.DataFrame) -> intervals.Intervals:
    """The instants at which at least one of the spans ran."""
    start = spans["ts_ns"].to_numpy()
    return intervals.union(start, start + spans["dur_ns"].to_numpy())


def device_activity(trace: Trace) -> list[DeviceActivity]:
    """Activity of every device with GPU work, by device number; empty if there is none."""
    ops = trace.gpu_spans()
    is_kernel = (ops["kind"] == "kernel").to_numpy()
    work = Work(
        device=ops["device"].to_numpy(),
        start=ops["ts_ns"].to_numpy(),
        end=(ops["ts_ns"] + ops["dur_ns"]).to_numpy(),
        stream=ops["stream"].to_numpy(),
        is_kernel=is_kernel,
        is_collective=is_kernel & is_communication(ops).to_numpy(),
        is_copy=ops["kind"].isin(COPY_KINDS).to_numpy(),
    )
    order = work.device.argsort(kind="stable")
    edges = np.flatnonzero(np.diff(work.device[order])) + 1
    parts = np.split(order, edges) if len(order) else []
    return [_device(work.of(rows)) for rows in parts]


class Work(NamedTuple):
    """Columns of operations, those of one device or of all: one filter of the whole table instead
    of one a device."""

    device: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    stream: NDArray[np.int64]
    is_kernel: NDArray[np.bool_]
    is_collective: NDArray[np.bool_]
    is_copy: NDArray[np.bool_]

    def of(self, rows: NDArray[np.intp]) -> "Work":
        """The operations in these rows."""
        columns: list[Any] = [column[rows] for column in self]
        return Work(*columns)

    def union(self, chosen: NDArray[np.bool_]) -> intervals.Intervals:
        """The instants at which at least one of the chosen operations ran."""
        return intervals.union(self.start[chosen], self.end[chosen])


def _device(work: Work) -> DeviceActivity:
    kernels, copies = work.union(work.is_kernel), work.union(work.is_copy)
    compute = work.union(work.is_kernel & ~work.is_collective)
    communication = work.union(work.is_collective)
    return DeviceActivity(
        device=int(work.device[0]),
        start_ns=int(work.start.min()),
        end_ns=int(work.end.max()),
        busy_ns=intervals.total(intervals.union(work.start, work.end)),
        compute_ns=intervals.total(compute),
        communication_ns=intervals.total(communication),
        exposed_communication_ns=intervals.total(intervals.subtraction(communication, compute)),
        copy_ns=intervals.total(copies),
        copy_compute_overlap_ns=intervals.total(intervals.intersection(kernels, copies)),
        streams=tuple(np.unique(work.stream).tolist()),
    )
