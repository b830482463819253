"""Which stretch of a run is shown first, and why: where its fault can be seen.

Plain functions on studies; no widget is drawn here.
"""

from dataclasses import dataclass
from statistics import median

from engine.results.verdict import own_gaps
from lab.catalogue import t
from lab.picture.hover import cause_text
from lab.study import Study
from traces import Gap

STEPS = 4
"""Length of the first stretch, in steps of the ideal length."""

WARM = 4
"""A measured run opens behind the first of so many equal parts."""

BEFORE = 1.5
"""Steps shown before the place that the stretch is opened for."""


@dataclass(frozen=True)
class Opening:
    """A window (start and end in ns), and in words what is to be seen in it."""

    window: tuple[int, int]
    why: str


def first_steps(step_ns: int, wall_ns: int) -> tuple[int, int]:
    """The window of a run's first steps, or all of a short run. `step_ns`: the ideal length of a
    step."""
    return 0, wall_ns if is_short(step_ns, wall_ns) else STEPS * step_ns


def is_short(step_ns: int, wall_ns: int) -> bool:
    """Whether a run is so short that all of it is shown."""
    return wall_ns <= 2 * STEPS * step_ns


def opening_of(run: Study, step_ns: int) -> Opening:
    """The first hazard, wrong token or error, or a typical gap of a run that has gaps of its own,
    or the first steps. `step_ns`: the ideal length of a step."""
    place = min(_faults(run), default=None) or _typical_gap(run) or (0, 0, t("opening.start"))
    return _around(run, step_ns, place)


def measured_opening(run: Study, step_ns: int) -> Opening:
    """The first hazard, wrong token or error of a run on a real clock, or where it is warm: behind
    the first quarter of its steps, of which the first one is slow. `step_ns`: a step's mean length.
    """
    if faults := _faults(run):
        return _around(run, step_ns, min(faults))
    step = run.run.steps // WARM
    start = _step_ns(run, step) if step else 0
    end = min(start + STEPS * step_ns, run.run.wall_ns)
    return Opening((start, end), t("opening.warm", step=step) if step else t("opening.start"))


def _around(run: Study, step_ns: int, place: "Place") -> Opening:
    """A stretch with what shows at a place, and a little before it."""
    first_ns, last_ns, why = place
    wall, length = run.run.wall_ns, STEPS * step_ns
    early = last_ns < length - step_ns
    start = 0 if early else max(0, round(first_ns - BEFORE * step_ns))
    start = max(0, min(start, wall - length))
    return Opening((start, min(max(start + length, last_ns + step_ns), wall)), why)


Place = tuple[int, int, str]
"""From when to when something shows on the device (ns), and what it is."""


def _faults(run: Study) -> list[Place]:
    """The first wrong token, the first error and every kind of hazard."""
    found = []
    if run.diff is not None and run.diff.count:
        step = run.diff.first_step
        at_ns = _step_ns(run, step)
        found.append((at_ns, at_ns, t("opening.token", step=step)))
    for step in run.run.failed_steps[:1]:
        at_ns = _step_ns(run, step)
        found.append((at_ns, at_ns, t("opening.error", step=step)))
    for hazard in run.run.hazards:
        spans = run.trace.spans
        ops = spans[(spans["device"] >= 0) & spans["correlation"].isin(hazard.ops)]
        starts = ops["ts_ns"].tolist() or [_step_ns(run, hazard.step)]
        found.append((min(starts), max(starts), t("opening.hazard", step=hazard.step)))
    return found


def _step_ns(run: Study, step: int) -> int:
    """When the kernels of a step begin; the end of the run where it never came to that."""
    spans = run.trace.spans
    kernels = spans[(spans["kind"] == "kernel") & (spans["step"] == step)]
    return int(kernels["ts_ns"].min()) if len(kernels) else run.run.wall_ns


def _typical_gap(run: Study) -> Place | None:
    """The first gap of the run's own main cause that is no shorter than half of them."""
    causes = own_gaps(run.run)
    if not causes:
        return None
    cause = max(causes, key=causes.__getitem__)
    parts = [(gap, _ns_of(gap, cause)) for gap in run.gaps if _ns_of(gap, cause)]
    middle = median(ns for _, ns in parts)
    gap = next(gap for gap, ns in parts if ns >= middle)
    return gap.start_ns, gap.end_ns, t("opening.gap", cause=cause_text(cause))


def _ns_of(gap: Gap, cause: str) -> int:
    return sum(part.ns for part in gap.parts if part.cause == cause)
