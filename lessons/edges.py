"""Questions that a click in a timeline answers: which wait is wrong, needless, or missing.

A program runs with one fault in its order. What can be chosen and what is right is read from the
log of its run: the checker is asked again about the log with one edge changed, so that no picture
and no sentence can say what the run does not.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from engine.checker.hazards import find_hazards
from engine.oplog import HOST, NONE, Op, OpKind, OpLog
from lessons.lesson import Lesson, LessonError, Question
from lessons.programs import WORK, ran

ACCESSES = (OpKind.HOST_READ, OpKind.HOST_WRITE)


@dataclass(frozen=True, eq=False)
class Edge:
    """A wait as a timeline shows it: `after` had to be over before `before` could begin. `wait` is
    the place of the wait in the log."""

    after: Op
    before: Op
    wait: int

    @property
    def name(self) -> str:
        """As learners answer with it: "forward 1 -> copy out 1"."""
        return f"{name_of(self.after)} -> {name_of(self.before)}"


def name_of(op: Op) -> str:
    """An operation with its step."""
    return f"{op.name} {op.step}"


def log_of(lesson: Lesson, question: Question) -> OpLog:
    """The log of the run that is asked about."""
    return ran(lesson.folder, lesson.scene_named(question.run)).device.log


def edges_of(log: OpLog) -> list[Edge]:
    """Every wait for an event that was recorded behind some work, in the order of issue."""
    return list(_edges(log))


def _edges(log: OpLog) -> Iterator[Edge]:
    for op in log:
        if op.kind not in (OpKind.WAIT, OpKind.SYNC_OP) or op.target == NONE:
            continue
        record = log.ops[op.target]
        stream = op.stream if op.kind is OpKind.WAIT else HOST
        after = [a for a in log.ops[: record.seq] if a.kind in WORK and a.stream == record.stream]
        before = (b for b in log.ops[op.seq :] if b.kind in (*WORK, *ACCESSES))
        held_back = next((b for b in before if b.stream == stream), None)
        if after and held_back is not None:
            yield Edge(after[-1], held_back, op.seq)


def operations_of(log: OpLog) -> list[Op]:
    """The device's work in the order of issue."""
    return [op for op in log if op.kind in WORK]


def choices_of(lesson: Lesson, question: Question) -> tuple[str, ...]:
    """What a click can choose: the edges of the run, or its operations where an edge is missing."""
    log = log_of(lesson, question)
    if question.fault == "missing":
        return tuple(map(name_of, operations_of(log)))
    return tuple(edge.name for edge in edges_of(log))


def edge_at_fault(lesson: Lesson, question: Question) -> str:
    """The choice that is right. Raises LessonError unless the run has exactly one such fault."""
    found = FAULTS[question.fault](log_of(lesson, question))
    if len(found) != 1:
        raise LessonError(f"question {question.id}: {len(found)} faults are found, not one")
    return found[0]


def _wrong(log: OpLog) -> list[str]:
    """Edges into an operation that races, that would leave nothing racing if they came from
    another event."""
    racing = {hazard.ops[1] for hazard in find_hazards(log)}
    records = [op.seq for op in log if op.kind is OpKind.RECORD]
    return [
        edge.name
        for edge in edges_of(log)
        if edge.before.seq in racing
        and any(
            record < edge.wait and not find_hazards(_pointed(log, edge.wait, record))
            for record in records
        )
    ]


def _needless(log: OpLog) -> list[str]:
    """Edges without which nothing races either."""
    return [edge.name for edge in edges_of(log) if not find_hazards(_pointed(log, edge.wait, NONE))]


def _missing(log: OpLog) -> list[str]:
    """Operations that begin although nothing has made them wait for one they race with."""
    return sorted({name_of(log.ops[hazard.ops[1]]) for hazard in find_hazards(log)})


def _pointed(log: OpLog, wait: int, record: int) -> OpLog:
    """The log with one wait for another record; for NONE it waits for nothing."""
    ops = [replace(op, target=record) if op.seq == wait else op for op in log]
    return OpLog(ops, log.streams, log.buffers)


FAULTS: dict[str, Callable[[OpLog], list[str]]] = {
    "wrong": _wrong,
    "needless": _needless,
    "missing": _missing,
}
"""What finds each kind of fault in the log of a run."""
