"""Two opened traces side by side: put on one axis, and what differs between them.

Plain functions on inspections; no widget is drawn here.
"""

from dataclasses import replace
from statistics import fmean

import pandas as pd

from engine import configure, execute
from engine.device.step_cost import StepTimes, cost_of
from lab.catalogue import t
from lab.glossary import rule_name
from lab.inspect.base import together
from lab.inspect.inspection import Inspection
from lab.picture.gantt import Panel
from lab.picture.hover import cause_text
from lab.units import percent, short_ms, signed_ms, signed_percent
from traces import Comparison, Trace
from traces.comparison import Shift, Side

MOST_STEPS = 300
MOST_PREDICTED = 500
"""So many steps are predicted; a longer recording repeats itself."""

STEPS_SHOWN = 4


def zero_ns(inspection: Inspection) -> int:
    """What two traces are aligned at: the first step, else the first GPU work, else the start."""
    if inspection.steps.count:
        return inspection.steps.steps[0].start_ns
    starts = [device.start_ns for device in inspection.devices]
    return min(starts, default=inspection.extent[0])


def shifted(inspection: Inspection, ns: int) -> Inspection:
    """The same trace `ns` later."""
    trace = inspection.trace
    moved = Trace(
        trace.spans.assign(ts_ns=trace.spans["ts_ns"] + ns), trace.flows,
        trace.counters.assign(ts_ns=trace.counters["ts_ns"] + ns), trace.meta,
    )  # fmt: skip
    late = Inspection(moved, inspection.name, inspection.key)
    late.gaps = [
        replace(gap, start_ns=gap.start_ns + ns, end_ns=gap.end_ns + ns) for gap in inspection.gaps
    ]
    return late


def aligned(first: Inspection, second: Inspection) -> tuple[Inspection, Inspection]:
    """Both on one clock: their zeros fall together, at that of the later one."""
    at, other = zero_ns(first), zero_ns(second)
    late = max(at, other)
    return shifted(first, late - at), shifted(second, late - other)


def predicted(times: StepTimes, mode: str, steps: int) -> Trace:
    """What the lab's engine does in so many steps that take these times."""
    config = configure(
        mode, cost=cost_of(times), workload="chat", steps=min(steps, MOST_PREDICTED), compute=False
    )
    return execute(config).trace


def idle_told(inspection: Inspection, side: Side) -> str:
    """How idle a trace's GPU was; of several all of them together, and the idlest."""
    share = percent(1 - side.active) if side.devices else percent(0)
    if inspection.has_one_gpu:
        return t("compare.gpu_idle", share=share)
    idlest = inspection.idlest
    return t(
        "compare.gpus_idle", share=share, gpus=together(inspection), device=idlest.device,
        most=percent(idlest.share),
    )  # fmt: skip


def panel_of(inspection: Inspection, idle: str) -> Panel:
    """A trace under its name and how idle it was, with the lanes that it opens with."""
    median = short_ms(inspection.steps.median_ns) if inspection.steps.count else "–"
    title = t("compare.panel", name=inspection.name, idle=idle, step=median)
    return replace(inspection.panel(inspection.first_lanes), title=title, counters=False)


def first_window(first: Inspection, second: Inspection) -> tuple[int, int]:
    """The first steps of both, or all of both."""
    start = min(first.extent[0], second.extent[0])
    end = max(first.extent[1], second.extent[1])
    both = [one.steps for one in (first, second) if one.steps.count > STEPS_SHOWN]
    if len(both) == 2:
        begin = min(steps.steps[0].start_ns for steps in both)
        until = max(steps.steps[STEPS_SHOWN].start_ns for steps in both)
        margin = (until - begin) // 20
        return max(start, begin - margin), min(end, until)
    return start, end


def steps_told(result: Comparison) -> str:
    """By how much the steps differ, in one sentence."""
    pairs = result.aligned
    if not pairs:
        return t("compare.no_steps")
    change = fmean(other - one for one, other in pairs)
    before = fmean(one for one, _ in pairs)
    return t(
        "compare.steps", count=len(pairs), change=signed_ms(change / 1e6),
        percent=signed_percent(change / max(before, 1)),
    )  # fmt: skip


def shifts_told(result: Comparison) -> list[str]:
    """Every finding that came, went, fell or rose, a sentence each."""
    return [_shift_told(shift, result.has_several_devices) for shift in result.shifts]


def _shift_told(shift: Shift, several: bool) -> str:
    told = t(
        "compare.fell" if shift.fell else "compare.rose", rule=rule_name(shift.rule),
        before=percent(shift.before), after=percent(shift.after),
        whole=t("compare.of_gpus" if several else "compare.of_run"),
    )  # fmt: skip
    return told + t("compare.mostly", blamed=cause_text(shift.blamed)) if shift.blamed else told


def split_told(result: Comparison) -> str:
    """How much of what the steps differ by is idle time, and how much work; empty without steps.
    With several devices the mean of them."""
    if not result.per_step:
        return ""
    change = fmean(other - one for one, other in result.aligned)
    idle = sum(other - one for _, one, other in result.idle)
    key = "compare.split_gpus" if result.has_several_devices else "compare.split"
    return t(key, idle=signed_ms(idle / 1e6), busy=signed_ms((change - idle) / 1e6))


def idle_shares(result: Comparison) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """Idle ms by cause of both sides, and of how many ms that is: a mean step, or the run."""
    names = t("compare.first_short"), t("compare.second_short")
    sides = (
        {cause: ns / 1e6 for cause, ns, _ in result.idle},
        {cause: ns / 1e6 for cause, _, ns in result.idle},
    )
    idle = dict(zip(names, sides, strict=True))
    if result.per_step:
        whole = [fmean(pair[side] for pair in result.aligned) for side in (0, 1)]
    else:
        whole = [
            sum(device.of_ns for device in side.devices) / max(1, len(side.devices))
            for side in (result.a, result.b)
        ]
    return idle, {name: max(1e-6, ns / 1e6) for name, ns in zip(names, whole, strict=True)}


def cause_changes(result: Comparison) -> pd.DataFrame:
    """Idle time by cause in both, the largest change first (ms)."""
    rows = [
        (cause_text(cause), one / 1e6, other / 1e6, (other - one) / 1e6)
        for cause, one, other in result.idle
    ]
    names = ("cause", "first", "second", "change")
    return pd.DataFrame(rows, columns=[t(f"compare.{name}") for name in names])


def step_changes(result: Comparison) -> pd.DataFrame:
    """The steps that both have (ms)."""
    rows = [
        (number, one / 1e6, other / 1e6, (other - one) / 1e6)
        for number, (one, other) in enumerate(result.aligned[:MOST_STEPS], 1)
    ]
    names = ("step", "first", "second", "change")
    return pd.DataFrame(rows, columns=[t(f"compare.{name}") for name in names])
