"""Lesson 17: the student's choice of depth for runs of the engine."""

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

from engine import Run, configure
from engine.config import RunConfig
from lessons.checks import Check, Verdict
from lessons.figures import figure_of
from lessons.given import shown, whole
from lessons.judging import wanted
from lessons.lesson import Lesson
from lessons.scenes import run_of

DEPTHS = range(1, 7)
FAST_ENOUGH = 0.98
"""Of the best throughput."""


class Limits(NamedTuple):
    """What may not be exceeded."""

    cancel_ms: float
    tokens_in_flight: int


class Measured(NamedTuple):
    """What a depth gives."""

    tokens_per_s: float
    tokens_in_flight: int
    cancel_ms: float


class Case(NamedTuple):
    """A workload and what its clients ask for."""

    name: str
    limits: Limits
    cost: str = ""
    jitter: float = 0.0
    sampling: str = "device"
    steps: int = 60


CASES = (
    Case("steady", Limits(200.0, 200)),
    Case("uneven", Limits(200.0, 150), "uneven.json", 60.0, steps=100),
    Case("in_a_hurry", Limits(40.0, 150), "uneven.json", 60.0, steps=100),
    Case("through_host", Limits(200.0, 200), sampling="host"),
)


def check(work: ModuleType, lesson: Lesson) -> Verdict:
    """Ask for every workload."""
    function = wanted(work, "choose_depth")
    checks = [_check(case, function, lesson) for case in CASES]
    wrong = next((c for c, found in zip(CASES, checks, strict=True) if not found.passed), CASES[0])
    return Verdict(checks, _run(wrong, DEPTHS[-1], lesson).trace)


def _check(case: Case, function: Callable[..., Any], lesson: Lesson) -> Check:
    def measure(depth: int) -> Measured:
        return _measured(_run(case, depth, lesson))

    given = function(measure, case.limits)
    depth = whole(given)
    if depth is None or depth not in DEPTHS:
        return Check(case.name, False, "not_a_depth", values={"given": shown(given)})
    allowed = {d: found for d in DEPTHS if _within(found := measure(d), case.limits)}
    best = max(found.tokens_per_s for found in allowed.values())
    right = min(d for d, found in allowed.items() if found.tokens_per_s >= FAST_ENOUGH * best)
    found = measure(depth)
    values: dict[str, Any] = {
        "given": depth, "speed": round(found.tokens_per_s), "best": round(best),
        "flight": found.tokens_in_flight, "less": allowed[right].tokens_in_flight,
        "cancel": round(found.cancel_ms), "sooner": round(allowed[right].cancel_ms),
    }  # fmt: skip
    if not _within(found, case.limits):
        message = "over_limit"
    elif found.tokens_per_s < FAST_ENOUGH * best:
        message = "too_slow"
    elif given != right:
        unused = found.tokens_in_flight == allowed[right].tokens_in_flight
        message = "unused" if unused else "too_deep"
    else:
        message = "ok"
    return Check(case.name, message == "ok", message, values=values)


def _within(found: Measured, limits: Limits) -> bool:
    in_time = found.cancel_ms <= limits.cancel_ms
    return in_time and found.tokens_in_flight <= limits.tokens_in_flight


def _measured(run: Run) -> Measured:
    speed, flight, cancel = (
        figure_of(run, name) for name in ("tokens_per_s", "inflight_tokens", "cancel_delay_ms")
    )
    return Measured(speed, round(flight), cancel)


def _run(case: Case, depth: int, lesson: Lesson) -> Run:
    """The run of a workload with so many batches in flight. Raises ValueError for a depth that
    is none."""
    if depth not in DEPTHS:
        raise ValueError(f"measure takes a depth from {DEPTHS[0]} to {DEPTHS[-1]}, not {depth!r}")
    return run_of(_config(case, depth, lesson))


def _config(case: Case, depth: int, lesson: Lesson) -> RunConfig:
    toggles = dict.fromkeys(("depth", "device_slots", "host_slots"), str(depth))
    return configure(
        "async",
        set={**toggles, "sampling": case.sampling},
        workload="clients",
        cost=str(lesson.folder / case.cost) if case.cost else None,
        jitter=case.jitter,
        steps=case.steps,
        compute=False,
    )
