"""What came of an operation, as the name of one sentence and the values that fill it.

The sentences stand in the lab's catalogue, so that they can be translated; what they say is read
from the log: when work starts, what it stands behind, what a wait was for.
"""

from dataclasses import dataclass

from engine.checker.reached import over_ns
from engine.oplog import NONE, Op, OpKind
from engine.play.operations import OPERATIONS
from engine.play.position import Position, Step
from engine.play.sentences import word
from engine.results.dump import waits

WORK = {"copy_in", "launch", "copy_out", "swap_in"}


@dataclass(frozen=True)
class Answer:
    """The sentence `says` and its values: times in ns end in `_ns`, batches are numbers."""

    says: str
    values: dict[str, object]


def answer(position: Position, place: int) -> Answer:
    """What came of the operation number `place` of a position."""
    step = position.steps[place]
    if step.refused:
        return Answer(f"refused_{step.refused}", dict(step.values or {}))
    name = OPERATIONS[step.key].name
    values: dict[str, object] = {"batch": step.batch, "event": step.event}
    values |= {"start_ns": step.start_ns, "end_ns": step.end_ns}
    if name in WORK:
        return _work(position, step, name, values)
    if name.startswith("record"):
        return _record(position, step, values)
    if name.startswith("wait"):
        return _wait(position, step, values | {"stream": OPERATIONS[step.key].queue})
    if name.startswith("sync"):
        return _sync(position, step, name, values)
    return _host(position, step, name, values)


def _work(position: Position, step: Step, name: str, values: dict[str, object]) -> Answer:
    """When work starts and ends, and what it stood behind."""
    ops = position.log.ops[step.first : step.last]
    work = [op for op in ops if op.kind in (OpKind.KERNEL, OpKind.H2D, OpKind.D2H)]
    how, behind = held_by(position, work[0])
    values |= {"name": name, "start_ns": work[0].start_ns, "end_ns": work[-1].end_ns}
    if behind is not None:
        values |= {"by": behind.name, "by_batch": behind.step}
    if len(ops) > len(work):  # pageable memory: staged before the copy, or waited for behind it
        return Answer("work_blocking", values | {"host_ns": step.end_ns})
    return Answer(f"work_{how}", values)


def held_by(position: Position, op: Op) -> tuple[str, Op | None]:
    """What an operation started behind: ("event" | "barrier" | "stream" | "engine", which one),
    or ("now", None) where it started as soon as it was issued."""
    if op.start_ns <= op.issue_ns:
        return "now", None
    ops = position.log.ops
    held = [(kind, ops[source]) for source, target, kind in waits(position.log) if target == op.seq]
    earlier = [o for o in ops[: op.seq] if o.end_ns == op.start_ns and o.kind is not OpKind.RECORD]
    held += [("stream", o) for o in earlier if o.stream == op.stream]
    held += [("engine", o) for o in earlier if o.kind is op.kind]
    return next(((how, o) for how, o in held if o.end_ns == op.start_ns), ("now", None))


def _record(position: Position, step: Step, values: dict[str, object]) -> Answer:
    """When the event will be reached, and whether it stands for what it is named after."""
    op = position.log.ops[step.first]
    kind = {"h2d_done": OpKind.H2D, "compute_done": OpKind.KERNEL, "d2h_done": OpKind.D2H}
    meant = (o for o in position.log.ops[: op.seq] if o.kind is kind[step.event])
    covers = any(o.step == step.batch and o.stream == op.stream for o in meant)
    reached_ns = over_ns(position.log)[op.seq]
    return Answer("record" if covers else "record_early", values | {"end_ns": reached_ns})


def _wait(position: Position, step: Step, values: dict[str, object]) -> Answer:
    """Whether the wait holds anything back."""
    op = position.log.ops[step.first]
    if op.target == NONE:
        return Answer("wait_nothing", values)
    reached_ns = over_ns(position.log)[op.target]
    says = "wait_passed" if reached_ns <= op.issue_ns else "wait"
    return Answer(says, values | {"end_ns": reached_ns})


def _sync(position: Position, step: Step, name: str, values: dict[str, object]) -> Answer:
    """How long the host stood still."""
    op = position.log.ops[step.last - 1]
    if op.kind is OpKind.SYNC_OP and op.target == NONE:
        return Answer("sync_nothing", values)
    blocked = step.end_ns > step.start_ns
    which = {"sync_stream": "stream", "sync_device": "device"}.get(name, "event")
    return Answer(f"sync_{which}" if blocked else f"sync_{which}_free", values)


def _host(position: Position, step: Step, name: str, values: dict[str, object]) -> Answer:
    """What the host did by itself."""
    if step.batch == NONE:
        slot = sum(s.key == step.key and not s.refused for s in _until(position, step))
        return Answer(name, values | {"slot": slot % position.level.slots})
    batch = position.batches[step.batch]
    if name == "read":
        wrong = position.wrong.get(step.batch, ())
        values |= {"words": tuple(map(word, batch.tokens)), "wrong": len(wrong)}
        return Answer("read_wrong" if wrong else "read_right", values)
    return Answer(name, values | {"slot": batch.slot})


def _until(position: Position, step: Step) -> tuple[Step, ...]:
    place = next(i for i, s in enumerate(position.steps) if s is step)
    return position.steps[: place + 1]
