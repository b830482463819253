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
from lab.inspect.inspection import Inspection
from lab.picture.gantt import Panel
from lab.picture.hover import cause_text
from lab.units import percent, short_ms, signed_ms, signed_percent
from traces import Comparison, Trace
from traces.comparison import Shift

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


def idlest(inspection: Inspection) -> float:
    """The idle share of a trace's idlest device, 0 to 1."""
    return max((idle.share for idle in inspection.idles), default=0.0)


def panel_of(inspection: Inspection) -> Panel:
    """A trace under its name, with the lanes that it opens with."""
    median = short_ms(inspection.steps.median_ns) if inspection.steps.count else "–"
    title = t("compare.panel", name=inspection.name, share=percent(idlest(inspection)), step=median)
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
    return [_shift_told(shift) for shift in result.shifts]


def _shift_told(shift: Shift) -> str:
    told = t(
        "compare.fell" if shift.fell else "compare.rose", rule=rule_name(shift.rule),
        before=percent(shift.before), after=percent(shift.after),
    )  # fmt: skip
    return told + t("compare.mostly", blamed=cause_text(shift.blamed)) if shift.blamed else told


def split_told(first: Inspection, second: Inspection, result: Comparison) -> str:
    """How much of a mean step's change is idle time, and how much work; empty without steps.
    With several devices the mean of them."""
    if not result.per_step:
        return ""
    idle, of_ms = idle_shares(first, second, result)
    devices = [max(1, len(side.idles)) for side in (first, second)]
    rest, step = (
        [sum(idle[name].values()) / n for name, n in zip(of_ms, devices, strict=True)],
        [of_ms[name] / n for name, n in zip(of_ms, devices, strict=True)],
    )
    change = rest[1] - rest[0]
    busy = step[1] - step[0] - change
    return t("compare.split", idle=signed_ms(change), busy=signed_ms(busy))


def idle_shares(
    first: Inspection, second: Inspection, result: Comparison
) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """Idle ms by cause of both sides, and of how many ms that is: a mean step, or the run."""
    names = t("compare.first_short"), t("compare.second_short")
    sides = (
        {cause: ns / 1e6 for cause, ns, _ in result.idle},
        {cause: ns / 1e6 for cause, _, ns in result.idle},
    )
    idle = dict(zip(names, sides, strict=True))
    of = dict(zip(names, (_of_ms(first, result), _of_ms(second, result)), strict=True))
    return idle, of


def _of_ms(inspection: Inspection, result: Comparison) -> float:
    if not result.per_step:
        return max(1e-6, sum(idle.of_ns for idle in inspection.idles) / 1e6)
    steps = inspection.steps
    whole = steps.steps[-1].end_ns - steps.steps[0].start_ns
    return max(1e-6, whole * max(1, len(inspection.idles)) / steps.count / 1e6)


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
