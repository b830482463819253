"""Lesson 13: small cases, then without a look at values, then in the engine itself."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from engine import Run, configure, execute
from engine.parts import Parts
from engine.workloads.workload import Workload
from lessons.checks import Check, Verdict
from lessons.judging import wanted
from lessons.lesson import Lesson

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

LOOKS = ("item", "tolist", "numpy", "nonzero", "masked_select", "unique", "__bool__", "__int__",
         "__float__", "__index__", "cpu")  # fmt: skip
DEVICE_LOOKS = ("aten::_local_scalar_dense", "aten::nonzero", "aten::masked_select", "aten::equal")


def check(work: ModuleType, lesson: Lesson) -> Verdict:
    """Compare case by case; then let the engine run with the student's function in it."""
    function = wanted(work, "carry_over")
    host = _host_needed(function)
    cases = [_cases("batches", function, BATCHES), _cases("stale", function, STALE)]
    on_device = Check("on_device", not host, "needs_host" if host else "ok", values={"name": host})
    if host or not all(case.passed for case in cases):
        return Verdict([*_first(on_device, cases), Check("engine", False, "first_the_cases", 2)])
    run = _engine(function)
    wrong = run.token_diff.count if run.token_diff is not None else 0
    values = {"count": wrong}
    engine = Check("engine", not wrong, "engine_wrong" if wrong else "ok", 2, values)
    return Verdict([*cases, on_device, engine], run.trace)


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


class _Looking(TorchFunctionMode):
    """Notes calls by which the host looks at a value."""

    def __init__(self) -> None:
        super().__init__()
        self.name = ""

    def __torch_function__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN204
        called = getattr(func, "__name__", "")
        if called in LOOKS and not self.name:
            self.name = called
        if called == "synchronize" and not self.name:
            self.name = called
        return func(*args, **(kwargs or {}))


class _Dispatched(TorchDispatchMode):
    """Notes operations whose result depends on values: a device would have to be waited for."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.name = ""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN204
        name = func.name().split(".")[0]
        masked = name.startswith("aten::index") and _has_mask(args)
        if (name in DEVICE_LOOKS or masked) and not self.name:
            self.name = "a boolean mask" if masked else name.removeprefix("aten::")
        return func(*args, **(kwargs or {}))


def _has_mask(arguments: tuple[Any, ...]) -> bool:
    """Whether an index operation picks rows by a boolean tensor."""
    indices = [item for argument in arguments if isinstance(argument, list) for item in argument]
    return any(isinstance(item, torch.Tensor) and item.dtype == torch.bool for item in indices)


def _host_needed(function: CarryOver) -> str:
    """The first call for which the host would have to wait, or nothing."""
    looking, dispatched = _Looking(), _Dispatched()
    arguments = [torch.tensor(values) for values in BATCHES[2]]
    with dispatched, looking:
        function(*arguments)
    return looking.name or dispatched.name


def _engine(function: CarryOver) -> Run:
    """A run in which rows come and go, over stale placeholders, with this carry-over."""

    def exchange(parts: Parts) -> None:
        parts.forward.carry_over = function

    config = configure("async", workload=WORKLOAD, set={"carry": "add-stale"})
    return execute(config, adjust=exchange)
