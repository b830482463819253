"""Lesson 04: the student's `makespan` against the engine's own runs."""

import random
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from engine import configure, execute
from engine.device.cost import MS, CostModel
from lessons.checks import Check, Verdict
from lessons.given import number, shown
from lessons.judging import wanted
from lessons.lesson import Lesson

Case = tuple[list[int], int, int]
"""Stage times in ms, batches, buffers."""

RANDOM_CASES = 12
NEAR_MS = 0.01


def check(work: ModuleType, lesson: Lesson) -> Verdict:
    """Compare on worked examples and on random cases, the same ones each time."""
    makespan = wanted(work, "makespan")
    groups = {
        "one_buffer": [([2, 6], 3, 1), *_cases(2, "one", buffers=1)],
        "worked": [([2, 6], 3, 2), ([8, 6], 3, 2)],
        "two_stages": list(_cases(2, "two")),
        "many_stages": [*_cases(3, "three", buffers=2), *_cases(4, "four", buffers=2)],
    }
    return Verdict([_check(name, makespan, cases) for name, cases in groups.items()])


def _cases(stages: int, seed: str, buffers: int = 0) -> Iterator[Case]:
    """Random cases; the number of buffers is random, too, where it is not given."""
    chooser = random.Random(seed)
    for _ in range(RANDOM_CASES):
        times = [chooser.randint(1, 9) for _ in range(stages)]
        yield times, chooser.randint(3, 9), buffers or chooser.randint(1, 4)


def _check(name: str, makespan: Callable[..., Any], cases: list[Case]) -> Check:
    """Passed where all cases are right; else the message of the first that is not."""
    for stages, batches, buffers in cases:
        given, expected = (
            makespan(list(stages), batches, buffers),
            engine_ms(stages, batches, buffers),
        )
        message = _fault(given, expected, stages, batches, buffers)
        if message != "ok":
            values = {
                "stages": stages, "batches": batches, "buffers": buffers, "given": shown(given),
                "expected": f"{expected:g}",
            }  # fmt: skip
            return Check(name, False, message, values=values)
    return Check(name, True)


def _fault(given: Any, expected: float, stages: list[int], batches: int, buffers: int) -> str:  # noqa: ANN401
    """Which mistake the number looks like."""
    ms = number(given)
    if ms is None:
        return "no_number"
    if abs(ms - expected) <= NEAR_MS:
        return "ok"
    known = {
        "takes_turns": sum(stages) * batches,
        "no_fill": max(stages) * batches,
        "no_buffers": sum(stages) + (batches - 1) * max(stages),
    }
    return next((name for name, value in known.items() if abs(ms - value) <= NEAR_MS), "off")


def engine_ms(stages: list[int], batches: int, buffers: int) -> float:
    """How long the engine takes: two to four stages are host, (H2D,) device, (D2H)."""
    host, *copy_in, device, copy_out = [*stages, 0] if len(stages) < 4 else stages
    cost = CostModel(
        name="pipeline",
        workload="independent",
        host_ns={"schedule": host * MS},
        kernel_ns={"layer": device * MS},
        h2d_ns=copy_in[0] * MS if copy_in else 0,
        d2h_ns=copy_out * MS,
        copy_bandwidth=0,
    )
    toggles = {name: str(buffers) for name in ("depth", "device_slots", "host_slots")}
    config = configure(
        "async", set=toggles, cost=cost, workload="independent", steps=batches, compute=False
    )
    return execute(config).wall_ns / MS
