"""A fix written into a recorded log, so that the checker can be asked again.

Where no order exists yet, waits and synchronisations are inserted; an operation issued
too late is moved ahead with all that it depends on. Both only add order, so no new
pair of operations races.

What this module does not do: choose the edges (`engine.checker.fixes`), or change a run.
"""

from msgspec.structs import replace

from engine.checker.fixes import Edge, Fix
from engine.checker.happens_before import HOST_KINDS, Clock, clocks
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
    """Wait at each place where `before` and the last `after` of some stream are not ordered yet."""
    ops: list[Op] = []
    seen: list[Op] = []
    for op, known in zip(log, clocks(log), strict=True):
        if op.name == edge.before:
            latest = {a.stream: a for a in seen if _matches(edge, a, op)}
            ops += [_wait(op, a) for a in latest.values() if known[a.stream] < a.seq]
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
    while late := _late_places(log, edge):
        log = _moved_ahead(log, late)
    return log


def _late_places(log: OpLog, edge: Edge) -> list[tuple[Op, Op, Clock]]:
    """Every unordered (a, b) where a is issued after b, with the clock of a."""
    places: list[tuple[Op, Op, Clock]] = []
    issued: list[Op] = []
    for op, known in zip(log, clocks(log), strict=True):
        if op.name == edge.after:
            places += [
                (op, b, known) for b in issued if _matches(edge, op, b) and known[b.stream] < b.seq
            ]
        if op.name == edge.before and op.stream != HOST:
            issued.append(op)
    return places


def _moved_ahead(log: OpLog, late: list[tuple[Op, Op, Clock]]) -> OpLog:
    """Issue each `a`, with all that happens before it, ahead of its `b`, and order the two.

    What moves is closed under happens-before, so no order that the log had is lost. A
    wait stands at once, so that no later move can turn the two round again. (A move may
    carry a `b` ahead of another's `a`; that place is late still, and the next to go.)
    """
    place = {op.seq: (op.seq, 1, op.seq) for op in log}
    for a, b, known in late:
        for op in log.ops[b.seq + 1 : a.seq + 1]:
            if op is a or op.kind in HOST_KINDS or known[op.stream] >= op.seq:
                place[op.seq] = min(place[op.seq], (b.seq, 0, op.seq))
    waits: dict[int, list[Op]] = {}
    for a, b, _ in late:
        if a.stream != HOST and place[a.seq] < place[b.seq]:
            waits.setdefault(b.seq, []).append(_wait(b, a))
    ordered = sorted(log, key=lambda op: place[op.seq])
    return _renumbered(log, [new for op in ordered for new in (*waits.get(op.seq, ()), op)])


def _renumbered(log: OpLog, ops: list[Op]) -> OpLog:
    place = {op.seq: index for index, op in enumerate(ops) if op.seq != NONE}
    renumbered = [
        replace(op, seq=index, target=place.get(op.target, NONE)) for index, op in enumerate(ops)
    ]
    return OpLog(renumbered, log.streams, log.buffers)
