"""A fix written into a recorded log, so that the checker can be asked again.

Where no order exists yet, waits and synchronisations are inserted; an operation issued
too late is moved ahead with all that it depends on. Both only add order, so no new
pair of operations races.

What this module does not do: choose the edges (`engine.fixes`), or change a run.
"""

from dataclasses import replace

from engine.fixes import Edge, Fix
from engine.happens_before import HOST_KINDS, Clock, clocks
from engine.oplog import HOST, NONE, Op, OpKind, OpLog


def apply_fix(log: OpLog, fix: Fix) -> OpLog:
    """A new log with the edges of `fix` at every place where their names and steps match.

    `seq` and targets are renumbered; `log` stays as it is. The hazard is gone
    afterwards. Only where device work was issued against the order of its steps may
    some of it be left, or come by another name: then ask the checker again, for fewer
    pairs race after every fix.
    """
    for edge in sorted(fix.edges, key=lambda edge: edge.how == "finish_first"):
        if edge.how == "finish_first":
            log = _with_early_finish(log, edge)
        log = _with_waits(log, edge)
    return log


def _matches(edge: Edge, a: Op, b: Op) -> bool:
    """Whether a and b, named as in the edge, are as many steps apart (or carry no steps)."""
    return NONE in (a.step, b.step) or b.step - a.step == edge.steps_back


def _with_waits(log: OpLog, edge: Edge) -> OpLog:
    """Wait at each place where the last `after` so far and `before` are not ordered yet."""
    ops: list[Op] = []
    seen: list[Op] = []
    for op, known in zip(log, clocks(log), strict=True):
        if op.name == edge.before:
            last = next((a for a in reversed(seen) if _matches(edge, a, op)), None)
            if last is not None and known[last.stream] < last.seq:
                ops.append(_wait(op, last))
        if op.name == edge.after and op.stream != HOST:
            seen.append(op)
        ops.append(op)
    return _renumbered(log, ops)


def _wait(before: Op, after: Op) -> Op:
    """The operation that makes `before` wait for `after`; it gets its number later."""
    return replace(
        before,
        seq=NONE,
        kind=OpKind.SYNC_OP if before.stream == HOST else OpKind.WAIT,
        name=f"wait for {after.name}",
        reads=(),
        writes=(),
        target=after.seq,
        end_ns=before.start_ns,
    )


def _with_early_finish(log: OpLog, edge: Edge) -> OpLog:
    """Move `after` ahead at each place where it is issued too late to be waited for."""
    while (place := _late_place(log, edge)) is not None:
        log = _moved_ahead(log, *place)
    return log


def _late_place(log: OpLog, edge: Edge) -> tuple[Op, Op, Clock] | None:
    """The first unordered (a, b) where a is issued after b, and the clock of a."""
    waiting: list[Op] = []
    for op, known in zip(log, clocks(log), strict=True):
        if op.name == edge.after:
            for b in waiting:
                if _matches(edge, op, b) and known[b.stream] < b.seq:
                    return op, b, known
        if op.name == edge.before and op.stream != HOST:
            waiting.append(op)
    return None


def _moved_ahead(log: OpLog, a: Op, b: Op, known: Clock) -> OpLog:
    """Issue `a`, with all that happens before it, ahead of `b`, and order the two.

    What moves is closed under happens-before, so no order that the log had is lost.
    """
    between = log.ops[b.seq : a.seq]
    moves = [op for op in between if op.kind in HOST_KINDS or known[op.stream] >= op.seq]
    moving = {op.seq for op in moves}
    stays = [op for op in between if op.seq not in moving]
    wait = [] if a.stream == HOST else [_wait(b, a)]
    return _renumbered(log, [*log.ops[: b.seq], *moves, a, *wait, *stays, *log.ops[a.seq + 1 :]])


def _renumbered(log: OpLog, ops: list[Op]) -> OpLog:
    place = {op.seq: index for index, op in enumerate(ops) if op.seq != NONE}
    renumbered = [
        replace(op, seq=index, target=place.get(op.target, NONE)) for index, op in enumerate(ops)
    ]
    return OpLog(renumbered, log.streams, log.buffers)
