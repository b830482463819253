"""Lesson 13: small cases, then without a look at values, then in the engine itself."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import torch

from engine import Run, configure, execute
from engine.parts import Parts
from engine.workloads.workload import Workload
from lessons.checks import Check, Verdict
from lessons.judging import wanted
from lessons.lesson import Lesson
from lessons.looks import host_needed
from lessons.questions import check_answers

CarryOver = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]
Case = tuple[list[int], list[int], list[int]]
"""ids, source, sampled."""

BATCHES: list[Case] = [
    ([0, 0, 0], [0, 1, 2], [41, 42, 43]),  # the same rows
    ([0, 0], [0, 2], [41, 42, 43]),  # the middle row has ended
    ([0, 0, 7, 8], [1, 0, -1, -1], [41, 42]),  # rows have moved, a prompt of two tokens joined
    ([5, 6], [-1, -1], [41]),  # nothing to carry
    ([0, 9, 0, 0, 0], [3, -1, 2, 1, 0], [41, 42, 43, 44]),  # more rows than before
    ([0, 6], [0, -1], [0, 42]),  # token 0 is a token like any other
]
STALE: list[Case] = [
    ([-1, -1, 7], [1, 0, -1], [41, 42]),  # -1 as the placeholder
    ([30, 31, 32], [0, 2, 1], [41, 42, 43]),  # the tokens before, left over from batch N
]

WORKLOAD = Workload(
    "carry-over", "Short requests on few rows: one ends and another joins every few steps.",
    batch=4, max_batched_tokens=48, count=7, shortest=4, longest=9,
)  # fmt: skip


def check(work: ModuleType, lesson: Lesson) -> Verdict:
    """Compare case by case; then let the engine run with the student's function in it; then the
    answer."""
    answers = check_answers(work, lesson).checks
    function = wanted(work, "carry_over")
    host = host_needed(function, [torch.tensor(values) for values in BATCHES[2]])
    cases = [_cases("batches", function, BATCHES), _cases("stale", function, STALE)]
    on_device = Check("on_device", not host, "needs_host" if host else "ok", values={"name": host})
    if host or not all(case.passed for case in cases):
        return Verdict(
            [*_first(on_device, cases), Check("engine", False, "first_the_cases", 2), *answers]
        )
    run = _engine(function)
    wrong = run.token_diff.count if run.token_diff is not None else 0
    values = {"count": wrong}
    engine = Check("engine", not wrong, "engine_wrong" if wrong else "ok", 2, values)
    return Verdict([*cases, on_device, engine, *answers], run.trace)


def _first(on_device: Check, cases: list[Check]) -> list[Check]:
    """What needs the host is told first: the cases come after it."""
    return [*cases, on_device] if on_device.passed else [on_device, *cases]


def _cases(name: str, function: CarryOver, cases: list[Case]) -> Check:
    for ids, source, sampled in cases:
        given = function(*(torch.tensor(values) for values in (ids, source, sampled)))
        expected = [sampled[s] if s >= 0 else i for i, s in zip(ids, source, strict=True)]
        message, values = _fault(given, expected, ids, source, sampled)
        if message != "ok":
            return Check(name, False, message, values=values)
    return Check(name, True)


def _fault(
    given: object,
    expected: list[int],
    ids: list[int],
    source: list[int],
    sampled: list[int],
) -> tuple[str, dict[str, Any]]:
    if not isinstance(given, torch.Tensor):
        return "not_a_tensor", {"given": type(given).__name__}
    if tuple(given.shape) != (len(ids),):
        return "wrong_shape", {"given": tuple(given.shape), "expected": (len(ids),)}
    found = given.tolist()
    for row, (got, right) in enumerate(zip(found, expected, strict=True)):
        if got != right:
            values = {"ids": ids, "source": source, "sampled": sampled, "row": row}
            values |= {"given": got, "expected": right}
            if source[row] < 0:
                return "known_overwritten", values
            sum_of_two = got == ids[row] + right and ids[row]
            return ("sum_of_two" if sum_of_two else "not_carried"), values
    return "ok", {}


def _engine(function: CarryOver) -> Run:
    """A run in which rows come and go, over stale placeholders, with this carry-over."""

    def exchange(parts: Parts) -> None:
        parts.forward.carry_over = function

    config = configure("async", workload=WORKLOAD, set={"carry": "add-stale"})
    return execute(config, adjust=exchange)
