"""Lesson 01: serve twelve requests with the student's function, and count."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from types import ModuleType
from typing import Any

from lessons.checks import Check, Verdict
from lessons.judging import wanted
from lessons.lesson import Lesson
from lessons.scenes import figure

LENGTHS = (20, 50, 100, 500) * 3
ROWS = 4
MOST_STEPS = 5000


@dataclass
class Request:
    """A request with the tokens it still wants."""

    name: str
    left: int
    joined: int = -1

    @property
    def done(self) -> bool:
        """Whether it has all of its tokens."""
        return self.left <= 0


@dataclass
class Served:
    """What happened. `fault` is the first thing that must not be: a message and its values."""

    requests: list[Request]
    steps: int = 0
    padding: int = 0
    fault: tuple[str, dict[str, Any]] = field(default=("ok", {}))


def check(work: ModuleType, lesson: Lesson) -> Verdict:
    """Serve, and compare with what the engine needs for the same requests."""
    served = _serve(wanted(work, "next_batch"))
    expected = figure(lesson, "continuous.steps")
    whole = all(request.done for request in served.requests)
    endless = {} if whole else {"steps": served.steps}
    slow = {"given": served.steps, "expected": round(expected)}
    overtaken = _overtaken(served.requests)
    return Verdict(
        [
            Check("rows", served.fault[0] == "ok", served.fault[0], values=served.fault[1]),
            _check("served", "ok" if whole else "never_ends", endless),
            _check("no_padding", "padding" if served.padding else "ok", {"count": served.padding}),
            _check("steps", "ok" if whole and served.steps <= expected else "slow", slow),
            _check("order", "overtaken" if overtaken else "ok", overtaken),
        ]
    )


def _check(name: str, message: str, values: dict[str, Any]) -> Check:
    return Check(name, message == "ok", message, values=values)


def _serve(next_batch: Callable[..., Any]) -> Served:
    """Call the function before every step until all have their tokens, or something is wrong."""
    requests = [Request(f"r{n}", length) for n, length in enumerate(LENGTHS)]
    served, waiting = Served(requests), list(requests)
    running: list[Request] = []
    while served.steps < MOST_STEPS and not all(request.done for request in requests):
        running = list(next_batch(running, waiting, ROWS))
        served.fault = _fault(running, served.steps)
        if served.fault[0] != "ok":
            break
        for request in running:
            served.padding += request.done
            request.left -= 1
            request.joined = served.steps if request.joined < 0 else request.joined
        served.steps += 1
    return served


def _fault(batch: list[Request], step: int) -> tuple[str, dict[str, Any]]:
    if len(batch) > ROWS:
        return "too_many", {"step": step, "given": len(batch), "rows": ROWS}
    names = [request.name for request in batch]
    again = next((name for name in names if names.count(name) > 1), "")
    return ("twice", {"step": step, "name": again}) if again else ("ok", {})


def _overtaken(requests: list[Request]) -> dict[str, Any]:
    """The first pair that joined in the wrong order."""
    for earlier, later in pairwise(requests):
        if later.joined >= 0 and (earlier.joined < 0 or earlier.joined > later.joined):
            return {"name": earlier.name, "other": later.name}
    return {}
