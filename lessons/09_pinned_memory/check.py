"""Lesson 09: no copy that keeps the host, no race that such copies had covered, no gap."""

from types import ModuleType

from engine.checker.hazards import Hazard
from engine.oplog import OpKind
from lessons.checks import Check, Verdict
from lessons.judging import wanted
from lessons.lesson import Lesson
from lessons.pipeline import Program, Served, serve, try_timings

MOST_IDLE = 0.01
SLOTS = 2

RACES = {
    ("RAW", "host outputs"): "uncovered",
    ("WAR", "host inputs"): "shared_buffer",
    ("WAR", "host outputs"): "shared_outputs",
    ("WAW", "host outputs"): "shared_outputs",
}


def check(work: ModuleType, lesson: Lesson) -> Verdict:
    """Serve with the student's three functions, and look at the log."""
    program = Program(
        wanted(work, "enqueue_step"), wanted(work, "collect"),
        host_buffer=wanted(work, "host_buffer"),
    )  # fmt: skip
    plain = serve(program, slots=SLOTS)
    if pageable := _pageable(plain):
        later = ("no_hazard", "right_tokens", "once", "host_goes_on", "no_gap")
        checks = [_check("pinned", pageable, 2), *(_check(name, "pin_first") for name in later)]
        return Verdict(checks, plain.trace("lesson 09"))
    racing, wrong = try_timings(program, plain, slots=SLOTS)
    safe = racing is None and wrong is None
    checks = [
        _check("pinned", "ok", 2),
        _check("no_hazard", _race(racing.hazards[0]) if racing else "ok"),
        _check("right_tokens", "wrong_tokens" if wrong else "ok"),
        _check("once", _once(plain)),
        _check("host_goes_on", _host(plain) if safe else "order_first"),
        _check("no_gap", _gap(plain) if safe else "order_first"),
    ]
    return Verdict(checks, (racing or wrong or plain).trace("lesson 09"))


def _check(name: str, message: str, points: int = 1) -> Check:
    return Check(name, message == "ok", message, points)


def _pageable(served: Served) -> str:
    """Which copies keep the host until they are over; empty where none does."""
    for op in served.device.log:
        if op.kind is OpKind.HOST_READ and op.name == "stage":
            return "pageable_in"
        if op.kind is OpKind.SYNC_OP and op.name == "pageable copy":
            return "pageable_out"
    return ""


def _race(hazard: Hazard) -> str:
    return RACES.get((hazard.kind, hazard.resource), "other_hazard")


def _once(served: Served) -> str:
    """Whether host memory was made after each slot had been used once."""
    return "pinned_each_step" if served.late_buffers else "ok"


def _host(served: Served) -> str:
    if served.waits_for_everything:
        return "whole_device"
    return "host_blocked" if served.blocking else "ok"


def _gap(served: Served) -> str:
    return "gap" if served.idle_share > MOST_IDLE else "ok"
