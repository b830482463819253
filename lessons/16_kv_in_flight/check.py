"""Lesson 16: the student's detective on logs of runs that are right and of runs with a fault."""

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple, SupportsIndex

from engine import Run, configure, execute
from engine.batch import Batch
from engine.kv.pool import DROPPED
from engine.loop import Loop
from engine.parts import Parts
from engine.requests.request import Row
from lessons.checks import Check, Verdict
from lessons.given import shown, whole
from lessons.judging import wanted
from lessons.lesson import Lesson

RIGHT = (("async", "cancel"), ("async", "sliding-window"))
WRONG = (
    ("window-on-scheduled", "sliding-window"),
    ("kv-released-at-once", "swap"),
    ("freed-on-scheduled", "swap"),
    ("cancel-at-once", "cancel"),
)
"""(mode, workload)."""

STEPS = 56
"""Enough for each fault to show."""


class Entry(NamedTuple):
    """One line of the log; see the exercise."""

    what: str
    step: int
    blocks: tuple[int, ...]


class FreeList(list[int]):
    """The pool's free blocks, which writes down what comes and goes."""

    def __init__(self, blocks: list[int], log: list[Entry]) -> None:
        super().__init__(blocks)
        self._log = log

    def append(self, block: int) -> None:
        """A block comes back."""
        super().append(block)
        self._log.append(Entry("free", -1, (block,)))

    def pop(self, index: SupportsIndex = -1) -> int:
        """A block is handed out."""
        block = super().pop(index)
        self._log.append(Entry("take", -1, (block,)))
        return block


def logged(mode: str, workload: str) -> tuple[list[Entry], Run]:
    """Run a mode, timing alone, and write down what became of its blocks."""
    log: list[Entry] = []

    def watch(parts: Parts) -> None:
        parts.pool.free = FreeList(parts.pool.free, log)

    class Watched(Loop):
        def launch(self, batch: Batch) -> None:
            used = {block for row in batch.launched for block in _used(row, self.parts)}
            log.append(Entry("launch", batch.step, tuple(sorted(used))))
            super().launch(batch)

        def finish(self, batch: Batch) -> None:
            log.append(Entry("done", batch.step, ()))
            super().finish(batch)

    config = configure(mode, workload=workload, steps=STEPS, compute=False)
    return log, execute(config, adjust=watch, loop_type=Watched)


def _used(row: Row, parts: Parts) -> list[int]:
    """The blocks that a row's kernels read or write: those its window covers."""
    size, window = parts.pool.block_size, parts.workload.window
    first = max(0, row.start - window + 1) if window else 0
    last = row.start + row.count - 1
    blocks = row.request.blocks[first // size : last // size + 1]
    return [block for block in blocks if block != DROPPED]


def early(log: list[Entry], *, what: str = "free") -> list[int]:
    """The blocks that were freed (or taken) while a batch in flight uses them, in order."""
    in_flight: dict[int, tuple[int, ...]] = {}
    found = []
    for entry in log:
        if entry.what == "launch":
            in_flight[entry.step] = entry.blocks
        elif entry.what == "done":
            del in_flight[entry.step]
        elif entry.what == what:
            found += [entry.blocks[0]] * any(entry.blocks[0] in b for b in in_flight.values())
    return found


def check(work: ModuleType, lesson: Lesson) -> Verdict:
    """Two groups of runs; in those that are right nothing may be found."""
    function = wanted(work, "freed_too_early")
    found = [_check("faults", WRONG, function), _check("right_runs", RIGHT, function)]
    checks = [check for check, _ in found]
    if not checks[0].passed:  # who never finds anything finds nothing in a run that is right
        checks[1] = Check("right_runs", False, "first_the_faults")
    return Verdict(checks, next((run.trace for _, run in found if run is not None), None))


def _check(
    name: str, runs: tuple[tuple[str, str], ...], function: Callable[..., Any]
) -> tuple[Check, Run | None]:
    points = 2 if name == "faults" else 1
    for mode, workload in runs:
        log, run = logged(mode, workload)
        given = function(list(log))
        message = _fault(given, log)
        if message != "ok":
            values = {"mode": mode, "workload": workload, "given": shown(given)}
            return Check(name, False, message, points, values), run
    return Check(name, True, points=points), None


def _fault(given: object, log: list[Entry]) -> str:
    found = early(log)
    block = whole(given)
    if given is not None and block is None:
        return "not_a_block"
    if block == (found[0] if found else None):
        return "ok"
    if block is None:
        return "missed"
    if [block] == early(log, what="take")[:1]:
        return "waits_for_reuse"
    return "not_the_first" if block in found else "false_alarm"
