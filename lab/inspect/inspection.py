"""An opened trace with everything the Inspect page shows of it, worked out once.

Plain functions on traces; reading files and drawing happen elsewhere.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest

from engine.device.cost import CostError
from engine.device.step_cost import StepTimes, parse_times
from engine.measured.fit import FitError
from engine.measured.step_fit import times_of
from lab.catalogue import t
from lab.picture.charts import busy_shares
from lab.picture.gantt import Panel
from lab.picture.lanes import Lane, make_lanes
from lab.picture.path_lanes import PathLanes
from lab.sentences import in_language
from lab.study import bound_of
from lab.timeline.opening import first_steps
from lab.units import whole_ns
from traces import (
    CriticalPath,
    DeviceActivity,
    Finding,
    Gap,
    Steps,
    Trace,
    Unexplained,
    WhatIf,
    device_activity,
    find_critical_path,
    find_findings,
    find_gaps,
    find_steps,
    gaps_by_cause,
    idle_stretches,
    what_if,
)
from traces.intervals import Intervals, total
from traces.observed import DeviceIdle, idle_of
from traces.ruling import Ruling
from traces.schema import NONE

MAX_LANES = 12
"""Lanes shown at first; the others wait in the list of lanes."""

MAX_THREADS = 2
MOST_DEVICES = 8
"""So many have a strip in the overview."""

MIN_JUMP_NS = 5_000
MOST_RANKED = 500
QUICK_SPANS = 20_000
"""So many spans are explained in about 0.2 s."""


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

    @property
    def known_gaps(self) -> Sequence[Gap]:
        """The gaps, without their causes as long as these are not worked out."""
        return self.gaps if self.explained else Unexplained(self.stretches)

    @cached_property
    def stretches(self) -> Mapping[int, Intervals]:
        """Where the gaps of each device are."""
        return idle_stretches(self.trace)

    @property
    def explained(self) -> bool:
        """Whether the causes are worked out, or so quickly that nobody waits for them."""
        return "gaps" in self.__dict__ or len(self.trace.spans) <= QUICK_SPANS

    def explain(self) -> None:
        """Work out what the page tells beside the picture: seconds for a million spans."""
        _ = self.gaps, self.devices, self.findings, self.steps, self.prediction, self._ranked
        if self.idles and self.idlest.idle_ns:
            _ = self.main_rule, self.causes_by_device

    @cached_property
    def devices(self) -> list[DeviceActivity]:
        """Busy and idle of each device."""
        return device_activity(self.trace)

    @cached_property
    def lanes(self) -> list[Lane]:
        """All lanes, from top to bottom."""
        return make_lanes(self.trace, self.stretches)

    @cached_property
    def extent(self) -> tuple[int, int]:
        """First and last instant of the trace (ns)."""
        spans = self.trace.spans
        if spans.empty:
            return 0, 1
        start, end = int(spans["ts_ns"].min()), int((spans["ts_ns"] + spans["dur_ns"]).max())
        return start, max(end, start + 1)

    @cached_property
    def first_window(self) -> tuple[int, int]:
        """The first steps of a run of this lab, as the Timeline page shows them; all of another
        trace."""
        start, end = self.extent
        if not self.trace.is_engine_dump:
            return start, end
        idle_ns = sum(total(idle) for idle in self.stretches.values())
        work = self.trace.gpu_spans()
        steps = work.loc[work["step"] != NONE, "step"].nunique()
        bound = bound_of(self.trace, (end - start - idle_ns) / 1e6, steps)
        return start, min(end, start + first_steps(whole_ns(bound.step_ms), end - start)[1])

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
        return Panel("", self.trace, self.known_gaps, lanes, own, counters=own)

    @cached_property
    def busy_shares(self) -> Mapping[str, list[float]]:
        """How busy each device was over the whole run, in equal stretches: with kernels in a run
        of this lab, with any work in another trace (as its gaps are counted)."""
        work = self.trace.gpu_spans()
        if self.trace.is_engine_dump:
            work = work[work["kind"] == "kernel"]
        return {
            f"GPU {device}": busy_shares(spans, self.extent).round(3).tolist()
            for device, spans in list(work.groupby("device"))[:MOST_DEVICES]
        }

    def longest_gaps(self, count: int) -> list[Gap]:
        """The longest gaps, the longest first; at most MOST_RANKED."""
        return self._ranked[:count]

    @cached_property
    def _ranked(self) -> list[Gap]:
        return nsmallest(MOST_RANKED, self.gaps, key=lambda gap: (-gap.ns, gap.start_ns))

    @cached_property
    def path(self) -> CriticalPath:
        """The critical path: seconds of work in a trace of a million spans."""
        return find_critical_path(self.trace)

    @cached_property
    def path_lanes(self) -> PathLanes:
        """The same by the lanes that it is drawn on."""
        return PathLanes(self.trace, self.path)

    @cached_property
    def idles(self) -> list[DeviceIdle]:
        """Idle time of each device, on the one base of the page."""
        return idle_of(self.trace, self.devices, self.gaps)

    @property
    def has_one_gpu(self) -> bool:
        """Whether no GPU needs to be told from another."""
        return len(self.idles) < 2

    @property
    def idlest(self) -> DeviceIdle:
        """The device that was idle for the largest share. Raises ValueError without devices."""
        return max(self.idles, key=lambda idle: (idle.share, -idle.device))

    @cached_property
    def findings(self) -> list[Finding]:
        """What costs time, the costliest first."""
        return find_findings(self.trace, self.gaps, self.ruling)

    @cached_property
    def ruling(self) -> Ruling:
        """Which finding each part of a gap falls under."""
        return Ruling(self.trace)

    @cached_property
    def steps(self) -> Steps:
        """The steps of the trace, where it has any."""
        return find_steps(self.trace)

    @cached_property
    def prediction(self) -> WhatIf:
        """What asynchronous batching would give."""
        return what_if(self.trace, self.gaps, self.steps)

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
        found = [in_language(str(warning)) for warning in meta.get("warnings", [])]
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

    @cached_property
    def causes(self) -> Mapping[str, int]:
        """Idle ns of all devices by cause, the largest first."""
        return gaps_by_cause(self.gaps)

    @cached_property
    def causes_by_device(self) -> Mapping[int, Mapping[str, int]]:
        """The same of each device that was idle."""
        gaps = defaultdict(list)
        for gap in self.gaps:
            gaps[gap.device].append(gap)
        return {device: gaps_by_cause(own) for device, own in gaps.items()}

    @cached_property
    def main_rule(self) -> tuple[str, float]:
        """The rule that explains most of the idlest device's idle time, and its share of it."""
        sums: Counter[str] = Counter()
        for gap in self.gaps:
            if gap.device == self.idlest.device:
                for part in gap.parts:
                    sums[self.ruling.rule(gap, part).name] += part.ns
        rule, ns = sums.most_common(1)[0]
        return rule, ns / sums.total()


def around(gap: Gap, extent: tuple[int, int]) -> tuple[int, int]:
    """A window with the gap in its middle third."""
    margin = max(gap.ns, MIN_JUMP_NS)
    return max(extent[0], gap.start_ns - margin), min(extent[1], gap.end_ns + margin)
