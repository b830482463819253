"""Lesson 21: whatever was in the failed batch is booked and decided, and nothing else is touched.

The engine runs with the student's `recover` in place of its own, and a kernel fails three times.
What the student says is noted and held against the policy. What is said of results in flight is
done, right or wrong; where rows or requests are forgotten, the policy itself keeps the run alive.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import NamedTuple

from engine import Run, execute
from engine.batch import Batch
from engine.device.api import Device
from engine.device.faults import BatchError
from engine.loop import Loop
from engine.oplog import OpKind
from engine.parts import Parts
from engine.recovery import Recovery
from engine.requests.request import Request
from lessons.checks import Check, Verdict
from lessons.judging import wanted
from lessons.lesson import Lesson
from lessons.scenes import config_of

MOST_FAILURES = 2
FAILING_STEPS = (8, 14, 20)

Found = tuple[str, str, str]
"""What is wrong: the check, the message, and whom it is about."""


class RequestView(NamedTuple):
    """What the student sees of a request."""

    id: str
    wants_tokens: bool
    failures: int


class RowView(NamedTuple):
    """What the student sees of a row: its number in its batch, and whose it is."""

    step: int
    number: int
    request: RequestView


class BatchView(NamedTuple):
    """What the student sees of a batch."""

    rows: tuple[RowView, ...]


Recover = Callable[[BatchView, list[BatchView], "Engine"], None]


@dataclass
class Engine:
    """What the student works with: it notes what is said."""

    device: Device
    lost_rows: list[RowView] = field(default_factory=list)
    discarded: list[RowView] = field(default_factory=list)
    retried: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def lost(self, row: RowView) -> None:
        """The result of a row of the failed batch will never come."""
        self.lost_rows.append(row)

    def discard(self, row: RowView) -> None:
        """The result of a row of a later batch is worth nothing."""
        self.discarded.append(row)

    def retry(self, request: RequestView) -> None:
        """The request is computed again."""
        self.retried.append(request.id)

    def fail(self, request: RequestView) -> None:
        """The request ends."""
        self.failed.append(request.id)


class StudentRecovery(Recovery):
    """The engine's recovery, with the student's decisions."""

    def __init__(self, parts: Parts, recover: Recover) -> None:
        super().__init__(parts.scheduler, parts.recovery.fault)
        self.device, self.function = parts.device, recover
        self.in_flight: Iterable[Batch] = ()
        self.failures: Counter[str] = Counter()
        self.found: list[Found] = []
        self.to_come = list(FAILING_STEPS[1:])

    def recover(self, batch: Batch, error: BatchError) -> None:
        """Ask the student, hold the answer against the policy, and do as told."""
        self.failures.update(row.request.id for row in batch.launched)
        behind = list(self.in_flight)
        failed, later = self._view(batch), [self._view(other) for other in behind]
        engine = Engine(self.device)
        self.function(failed, later, engine)
        found = [*_forgotten(failed, engine), *_undecided(failed, engine)]
        self.found += [*found, *_discards(failed, later, engine)]
        self._settle(batch, _policy(failed)[0])
        self._discard(engine, batch, {row.request for other in behind for row in other.launched})
        self.errors.append(f"step {batch.step}: {error}")
        self.failed_steps.append(batch.step)
        self._fail_again()

    def _view(self, batch: Batch) -> BatchView:
        def seen(request: Request) -> RequestView:
            return RequestView(request.id, request.takes_tokens, self.failures[request.id])

        rows = enumerate(batch.launched)
        return BatchView(tuple(RowView(batch.step, n, seen(row.request)) for n, row in rows))

    def _settle(self, batch: Batch, retried: set[str]) -> None:
        """Book the rows, and compute these requests again; the others end."""
        self.scheduler.blocks.ledger.settled(batch)
        waiting = [row.request for row in batch.launched if row.request.takes_tokens]
        for row in batch.launched:
            row.request.in_flight -= 1
            row.request.poisoned_step = row.request.last_step
            if row.samples:
                self._lose(row, 1, row.request.id in retried)
        for request in reversed(waiting):
            if request.id in retried:
                self.scheduler.preemption.compute_again(request)
            else:
                self.scheduler.life.fail(request)

    def _discard(self, engine: Engine, batch: Batch, requests: set[Request]) -> None:
        """Throw away what the student says of what is in flight, no more and no less."""
        said = Counter(row.request.id for row in engine.discarded)
        failed = {row.request for row in batch.launched}
        for request in requests:
            if request.takes_tokens and (request.id in engine.retried or request not in failed):
                request.discard = said[request.id]

    def _fail_again(self) -> None:
        """Let the next batch in line fail, too."""
        if self.fault is not None and self.to_come:
            self.fault.step = self.to_come.pop(0)
            self.fault.failed = self.fault.task = self.fault.noticed = None


def _policy(batch: BatchView) -> tuple[set[str], set[str]]:
    """Who is computed again, and who ends."""
    waiting = [row.request for row in batch.rows if row.request.wants_tokens]
    again = {request.id for request in waiting if request.failures <= MOST_FAILURES}
    return again, {request.id for request in waiting} - again


def _forgotten(batch: BatchView, engine: Engine) -> Iterator[Found]:
    """Each row of the failed batch is booked once."""
    booked = Counter(engine.lost_rows)
    if missing := [row.request.id for row in batch.rows if not booked[row]]:
        yield "rows", "row_leaked", ", ".join(missing)
    if twice := [row.request.id for row, count in booked.items() if count > 1]:
        yield "rows", "booked_twice", ", ".join(twice)
    if others := [row.request.id for row in booked if row not in batch.rows]:
        yield "rows", "not_lost", ", ".join(others)


def _undecided(batch: BatchView, engine: Engine) -> Iterator[Found]:
    """Each request that waits is decided once, as the policy says."""
    again, over = _policy(batch)
    retried, failed = set(engine.retried), set(engine.failed)
    in_batch = {row.request.id for row in batch.rows}
    rules = {
        "bystander": (retried | failed) - in_batch,
        "woken": (retried | failed) & in_batch - again - over,
        "both": retried & failed | _repeated(engine.retried) | _repeated(engine.failed),
        "retried_for_ever": retried & over,
        "gave_up_early": failed & again,
        "forgotten": (again | over) - retried - failed,
    }
    for message, names in rules.items():
        if names:
            yield "decided", message, ", ".join(sorted(names))


def _repeated(names: list[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if count > 1}


def _discards(batch: BatchView, later: list[BatchView], engine: Engine) -> Iterator[Found]:
    """What those who are computed again have in flight is worth nothing; all else is good."""
    again = _policy(batch)[0] & set(engine.retried)
    in_batch = {row.request.id for row in batch.rows}
    behind = {row for other in later for row in other.rows}
    said = Counter(engine.discarded)
    spoilt = {row for row in behind if row.request.id in again}
    rules = {
        "stale_kept": spoilt - set(said),
        "good_thrown_away": {row for row in said if row.request.id not in in_batch},
        "discarded_twice": {row for row in spoilt if said[row] > 1},
    }
    for message, rows in rules.items():
        if rows:
            yield "discarded", message, ", ".join(sorted({row.request.id for row in rows}))


def check(work: ModuleType, lesson: Lesson) -> Verdict:
    """Run the engine with the student's `recover`, and look at what was said and at the texts."""
    run, found = _run(lesson, wanted(work, "recover"))
    wrong = run.token_diff is None or run.token_diff.count
    waits = any(op.kind is OpKind.SYNC_DEVICE for op in run.device.log)
    checks = [_check(name, found) for name in ("rows", "decided", "discarded")]
    clean = not found
    if waits or not clean:
        found.append(("others", "whole_device" if waits else "policy_first", ""))
    if wrong:
        found.append(("tokens", "wrong_tokens" if clean else "wrong_tokens_too", ""))
    return Verdict([*checks, _check("tokens", found), _check("others", found)], run.trace)


def _run(lesson: Lesson, recover: Recover) -> tuple[Run, list[Found]]:
    """The engine's run with the student's function, and what is wrong with what it said."""
    made: list[StudentRecovery] = []

    class Watched(Loop):
        def __init__(self, parts: Parts, steps: int | None = None) -> None:
            super().__init__(parts, steps)
            made.append(StudentRecovery(parts, recover))
            parts.recovery, made[0].in_flight = made[0], self.in_flight

    run = execute(config_of(lesson.scene_named("exercise")), loop_type=Watched)
    return run, made[0].found


def _check(name: str, found: list[Found]) -> Check:
    for check, message, names in found:
        if check == name:
            return Check(name, False, message, values={"names": names})
    return Check(name, True)
