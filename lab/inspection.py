"""An opened trace with everything the Inspect page shows of it, worked out once.

Plain functions on traces; reading files and drawing happen elsewhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest

import pandas as pd

from lab.catalogue import t
from lab.gantt import Panel
from lab.hover import cause_text
from lab.lanes import Lane, make_lanes
from lab.units import percent, short_ms
from traces import DeviceActivity, Gap, Trace, device_activity, find_gaps, gaps_by_cause, wall_ns

MAX_LANES = 12
"""Lanes shown at first; the others wait in the list of lanes."""

MAX_THREADS = 2
FIRST_STEPS = 5
CAUSES_NAMED = 3
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

    def panel(self, keys: Sequence[str]) -> Panel:
        """The chosen lanes, in their own order."""
        lanes = [lane for lane in self.lanes if lane.key in keys]
        own = self.trace.is_engine_dump
        return Panel("", self.trace, self.gaps, lanes, arrows=own, counters=own)

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
    def verdicts(self) -> list[str]:
        """One sentence a device: how idle, and why."""
        return [self._verdict(device) for device in self.devices]

    def _verdict(self, device: DeviceActivity) -> str:
        gaps = [gap for gap in self.gaps if gap.device == device.device]
        idle = sum(gap.ns for gap in gaps)
        start, end = wall_ns(self.trace)
        span = end - start if self.trace.is_engine_dump else device.span_ns
        if not idle or not span:
            return t("verdict.busy", device=device.device, span=short_ms(span))
        causes = list(gaps_by_cause(gaps).items())[:CAUSES_NAMED]
        told = ", ".join(
            t("verdict.cause", share=percent(ns / idle), cause=cause_text(cause))
            for cause, ns in causes
        )
        key = "verdict.no_kernel" if self.trace.is_engine_dump else "verdict.idle"
        return t(
            key, device=device.device, share=percent(idle / span),
            span=short_ms(span), causes=told,
        )  # fmt: skip

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
