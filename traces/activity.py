"""How busy each device was: exact figures from interval unions.

Busy is the union of kernels, copies and memsets over *all* streams of a device, so
overlapping work counts once. The span runs from the first to the last GPU event.
Every busy instant is in one class, the first that fits: compute, exposed communication,
copy only, memset only.
Active is not the same as efficient: it says that something ran, not how well.
"""

from dataclasses import dataclass

import pandas as pd

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
    work = trace.gpu_spans().groupby("device")
    return [_device(device, work.get_group(device)) for device in trace.devices]


def _device(device: int, ops: pd.DataFrame) -> DeviceActivity:
    kernels = ops[ops["kind"] == "kernel"]
    collective = is_communication(kernels)
    compute, communication = span_union(kernels[~collective]), span_union(kernels[collective])
    copies = span_union(ops[ops["kind"].isin(COPY_KINDS)])
    return DeviceActivity(
        device=device,
        start_ns=int(ops["ts_ns"].min()),
        end_ns=int((ops["ts_ns"] + ops["dur_ns"]).max()),
        busy_ns=intervals.total(span_union(ops)),
        compute_ns=intervals.total(compute),
        communication_ns=intervals.total(communication),
        exposed_communication_ns=intervals.total(intervals.subtraction(communication, compute)),
        copy_ns=intervals.total(copies),
        copy_compute_overlap_ns=intervals.total(
            intervals.intersection(span_union(kernels), copies)
        ),
        streams=tuple(sorted(int(s) for s in ops["stream"].unique())),
    )
