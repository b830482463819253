"""An opened trace with everything the Inspect page shows of it, worked out once.

Plain functions on traces; reading files and drawing happen elsewhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest

import pandas as pd

from engine.device.cost import CostError
from engine.device.step_cost import StepTimes, parse_times
from engine.measured.fit import FitError
from engine.measured.step_fit import times_of
from lab.catalogue import t
from lab.gantt import Panel
from lab.idle import DeviceIdle, idle_of
from lab.lanes import Lane, make_lanes
from traces import (
    DeviceActivity,
    Finding,
    Gap,
    Steps,
    Trace,
    WhatIf,
    device_activity,
    find_findings,
    find_gaps,
    find_steps,
    gaps_by_cause,
    wall_ns,
    what_if,
)

MAX_LANES = 12
"""Lanes shown at first; the others wait in the list of lanes."""

MAX_THREADS = 2
FIRST_STEPS = 5
MIN_JUMP_NS = 5_000


@dataclass(eq=False)
class Inspection:
    """A trace, its name as given, what tells it from others, and what follows from it."""

    trace: Trace
    name: str
    key: str

    @cached_property
    def gaps(self) -> list[Gap]:
        """Idle stretches of all devices."""
        return find_gaps(self.trace)

    @cached_property
    def devices(self) -> list[DeviceActivity]:
        """Busy and idle of each device."""
        return device_activity(self.trace)

    @cached_property
    def lanes(self) -> list[Lane]:
        """All lanes, from top to bottom."""
        return make_lanes(self.trace, self.gaps)

    @cached_property
    def extent(self) -> tuple[int, int]:
        """First and last instant of the trace (ns)."""
        spans = self.trace.spans
        if spans.empty:
            return 0, 1
        start, end = int(spans["ts_ns"].min()), int((spans["ts_ns"] + spans["dur_ns"]).max())
        return start, max(end, start + 1)

    @property
    def first_window(self) -> tuple[int, int]:
        """The first steps of a run of this lab; all of another trace."""
        start, end = self.extent
        if self.trace.is_engine_dump:
            host = self.trace.host_spans()
            later = host.loc[host["step"] == FIRST_STEPS, "ts_ns"]
            end = int(later.min()) if len(later) else end
        return start, max(end, start + 1)

    @cached_property
    def first_lanes(self) -> list[str]:
        """Keys of the lanes to open with: device lanes, then the threads that launch most."""
        if self.trace.is_engine_dump:
            return [lane.key for lane in self.lanes][:MAX_LANES]
        gpu = [lane for lane in self.lanes if lane.gpu][: MAX_LANES - MAX_THREADS]
        hosts = [lane for lane in self.lanes if not lane.gpu]
        busiest = sorted(hosts, key=lambda lane: (-lane.launches, -lane.spans))
        shown = [lane for lane in busiest[:MAX_THREADS] if lane.launches or not gpu]
        return [lane.key for lane in [*gpu, *(shown or busiest[:1])]]

    def panel(self, keys: Sequence[str], marked: int | None = None) -> Panel:
        """The chosen lanes, in their own order; `marked` is a span to frame."""
        lanes = [lane for lane in self.lanes if lane.key in keys]
        own = self.trace.is_engine_dump
        return Panel("", self.trace, self.gaps, lanes, own, counters=own, marked=marked)

    @cached_property
    def busy_rows(self) -> Mapping[str, pd.DataFrame]:
        """What the overview strip shows as busy, by device: kernels of a run of this lab, all
        device work of another trace (as its gaps are counted)."""
        rows = {}
        for device in self.trace.devices[:8]:
            spans = self.trace.gpu_spans(device)
            if self.trace.is_engine_dump:
                spans = spans[spans["kind"] == "kernel"]
            rows[f"GPU {device}"] = spans
        return rows

    def longest_gaps(self, count: int) -> list[Gap]:
        """The longest gaps, the longest first."""
        return nsmallest(count, self.gaps, key=lambda gap: (-gap.ns, gap.start_ns))

    @cached_property
    def idles(self) -> list[DeviceIdle]:
        """Idle time of each device, on the one base of the page."""
        return idle_of(self.trace, self.devices, self.gaps)

    @cached_property
    def findings(self) -> list[Finding]:
        """What costs time, the costliest first."""
        return find_findings(self.trace, self.gaps)

    @cached_property
    def steps(self) -> Steps:
        """The steps of the trace, where it has any."""
        return find_steps(self.trace)

    @cached_property
    def prediction(self) -> WhatIf:
        """What asynchronous batching would give."""
        return what_if(self.trace, self.gaps, self.steps)

    @cached_property
    def recorded_ns(self) -> int:
        """How long the steps took that the prediction is about, their last kernels included."""
        start, end = wall_ns(self.trace)
        if self.trace.is_engine_dump or not self.steps.count:
            return end - start
        last = max([self.steps.steps[-1].end_ns, *(device.end_ns for device in self.devices)])
        return last - self.steps.steps[0].start_ns

    @property
    def saving(self) -> float:
        """The share of the recorded time that overlap would save, 0 to 1."""
        return max(0.0, 1 - self.prediction.async_ns / self.recorded_ns) if self.recorded_ns else 0

    @cached_property
    def step_times(self) -> StepTimes | None:
        """What a mean step takes, as the Timeline page takes it; None where that is unknown."""
        try:
            return parse_times(str(times_of(self.prediction)))
        except (FitError, CostError):
            return None

    @cached_property
    def warnings(self) -> list[str]:
        """What a reader of the figures must know: what was lost, what is missing."""
        meta = self.trace.meta
        found = [str(warning) for warning in meta.get("warnings", [])]
        if meta.get("skipped") and not found:
            found.append(t("inspect.skipped", count=f"{meta['skipped']:,}"))
        if not self.devices:
            launches = int((self.trace.spans["kind"] == "launch").sum())
            found.append(self._no_gpu(launches))
        return found

    def _no_gpu(self, launches: int) -> str:
        """Why there may be no GPU work in the file."""
        if self.trace.meta.get("cut_off"):
            return t("inspect.cut_gpu")
        return t("inspect.lost_gpu", count=f"{launches:,}") if launches else t("inspect.no_gpu")

    def idle_by_cause(self) -> dict[str, float]:
        """Idle ms of all devices by cause."""
        return {cause: ns / 1e6 for cause, ns in gaps_by_cause(self.gaps).items()}


def around(gap: Gap, extent: tuple[int, int]) -> tuple[int, int]:
    """A window with the gap in its middle third."""
    margin = max(gap.ns, MIN_JUMP_NS)
    return max(extent[0], gap.start_ns - margin), min(extent[1], gap.end_ns + margin)
