"""Lesson 07: nothing races under 100 timings, and nothing waits for more than it needs."""

from types import ModuleType

from engine.checker.hazards import Hazard
from lessons.checks import Check, Verdict
from lessons.judging import wanted
from lessons.lesson import Lesson
from lessons.pipeline import Program, Served, serve, try_timings
from lessons.questions import check_answers

MOST_IDLE = 0.01

EDGES = {
    ("device inputs", "h2d_done -> compute"): "missing_h2d_wait",
    ("device outputs", "compute_done -> d2h"): "missing_compute_wait",
    ("host outputs", "d2h_done -> host read"): "missing_host_wait",
}


def check(work: ModuleType, lesson: Lesson) -> Verdict:
    """Serve with the student's two functions, and look at the log; then the answers."""
    program = Program(wanted(work, "enqueue_step"), wanted(work, "collect"))
    plain = serve(program)
    racing, wrong = try_timings(program, plain)
    safe = racing is None and wrong is None
    checks = [
        _check("no_hazard", _race(racing), points=2),
        _check("right_tokens", "wrong_tokens" if wrong else "ok"),
        _check("host_goes_on", _host(plain) if safe else "order_first"),
        _check("no_gap", _gap(plain) if safe else "order_first"),
    ]
    answers = check_answers(work, lesson).checks
    return Verdict([*checks, *answers], (racing or wrong or plain).trace("lesson 07"))


def _check(name: str, message: str, points: int = 1) -> Check:
    return Check(name, message == "ok", message, points)


def _race(served: Served | None) -> str:
    """The missing wait that the first hazard names."""
    if served is None:
        return "ok"
    hazard = served.hazards[0]
    if _waits_on_nothing(hazard):
        return "wait_on_nothing"
    return EDGES.get((hazard.resource, hazard.missing_edge), "other_hazard")


def _waits_on_nothing(hazard: Hazard) -> bool:
    return hazard.fix.text.startswith("issue the wait")


def _host(served: Served) -> str:
    """Whether the host was held up where it should only have enqueued."""
    if served.waits_for_everything:
        return "whole_device"
    return "host_blocked" if served.blocking else "ok"


def _gap(served: Served) -> str:
    return "gap" if served.idle_share > MOST_IDLE else "ok"
