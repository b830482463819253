"""Random small programs, and an oracle that tries every interleaving of one.

The oracle knows no vector clocks: it is a machine that issues operations in host
order and lets each stream run its queue, and it visits every state that machine
can be in. Two operations race exactly if each of them can come first.
"""

from collections.abc import Iterator
from itertools import combinations
from random import Random

from engine.oplog import (
    HOST,
    NONE,
    Access,
    BufferInfo,
    Op,
    OpKind,
    OpLog,
    StreamInfo,
    StreamKind,
)

DEVICE_WORK = (OpKind.KERNEL, OpKind.H2D, OpKind.D2H)
HOST_WORK = (OpKind.HOST_READ, OpKind.HOST_WRITE)
SYNCS = (OpKind.SYNC_OP, OpKind.SYNC_STREAM, OpKind.SYNC_DEVICE)
ON_HOST = HOST_WORK + SYNCS
KIND_WEIGHTS = {
    OpKind.KERNEL: 6,
    OpKind.H2D: 4,
    OpKind.D2H: 4,
    OpKind.RECORD: 4,
    OpKind.WAIT: 5,
    OpKind.HOST_READ: 2,
    OpKind.HOST_WRITE: 2,
    OpKind.SYNC_OP: 2,
    OpKind.SYNC_STREAM: 1,
    OpKind.SYNC_DEVICE: 1,
}


def random_program(rng: Random, stepped: bool = False) -> OpLog:
    """4 to 9 operations on 2 or 3 streams, events recorded late, again, or never."""
    log = _empty_log(rng)
    events: dict[int, int] = {}
    for seq in range(rng.randint(4, 9)):
        op = _random_op(rng, log, seq)
        op.step = rng.randrange(3) if stepped else NONE
        event = rng.randrange(2)
        if op.kind is OpKind.RECORD:
            events[event] = seq
        elif op.kind in (OpKind.WAIT, OpKind.SYNC_OP):
            op.target = events.get(event, NONE)
        log.ops.append(op)
    return log


def random_loop(rng: Random, steps: int = 4) -> OpLog:
    """A random body of 5 to 9 operations repeated; host work may trail a step behind.

    As in an engine's loop, device work is issued in the order of its steps.
    """
    log = _empty_log(rng)
    body = [_random_op(rng, log, index) for index in range(rng.randint(5, 9))]
    lags = [rng.randrange(2) if op.kind in ON_HOST else 0 for op in body]
    events = [rng.randrange(2) for _ in body]
    recorded: dict[tuple[int, int], int] = {}
    for turn in range(steps):
        for model, lag, event in zip(body, lags, events, strict=True):
            step, seq = turn - lag, len(log)
            if step < 0:
                continue
            if model.kind is OpKind.RECORD:
                recorded[event, step] = seq
            target = recorded.get((event, step), NONE)
            waits = model.kind in (OpKind.WAIT, OpKind.SYNC_OP)
            op = Op(seq, model.kind, model.name, model.stream, step, 0, model.reads, model.writes)
            op.target = target if waits else NONE
            log.ops.append(op)
    return log


def _empty_log(rng: Random) -> OpLog:
    kinds = rng.choices(list(StreamKind), k=rng.randint(2, 3))
    buffers = [
        BufferInfo(index, f"resource {index}", f"tensor {index}", NONE, 3, 12, False)
        for index in range(rng.randint(1, 2))
    ]
    return OpLog([], [StreamInfo(i, f"S{i}", kind) for i, kind in enumerate(kinds)], buffers)


def _random_op(rng: Random, log: OpLog, seq: int) -> Op:
    kind = rng.choices(list(KIND_WEIGHTS), list(KIND_WEIGHTS.values()))[0]
    on_stream = kind not in ON_HOST or kind is OpKind.SYNC_STREAM
    stream = rng.randrange(len(log.streams)) if on_stream else HOST
    op = Op(seq, kind, f"{kind} {seq}", stream)
    if kind in DEVICE_WORK or kind is OpKind.HOST_READ:
        op.reads = _random_accesses(rng, log)
    if kind is OpKind.HOST_WRITE or (kind in DEVICE_WORK and rng.random() < 0.6):
        op.writes = _random_accesses(rng, log)
    return op


def _random_accesses(rng: Random, log: OpLog) -> tuple[Access, ...]:
    buffers = rng.sample(range(len(log.buffers)), rng.randint(1, len(log.buffers)))
    return tuple(Access(buffer, rng.randint(1, 7)) for buffer in buffers)


def conflict(a: Op, b: Op) -> bool:
    """Whether two operations touch a common row and at least one writes it."""

    def meet(left: tuple[Access, ...], right: tuple[Access, ...]) -> bool:
        return any(x.buffer == y.buffer and x.mask & y.mask for x in left for y in right)

    return meet(a.writes, b.writes) or meet(a.reads, b.writes) or meet(a.writes, b.reads)


def racing_pairs(log: OpLog) -> set[tuple[int, int]]:
    """Conflicting operations (by seq, lower first) of which each can come first."""
    later = _can_come_later(log)
    return {
        (a.seq, b.seq)
        for a, b in combinations(log.ops, 2)
        if conflict(a, b) and later[a.seq] >> b.seq & 1 and later[b.seq] >> a.seq & 1
    }


def _can_come_later(log: OpLog) -> list[int]:
    """For each operation x, a bit mask of those that come after x in some execution."""
    everything = (1 << len(log)) - 1
    later = [0] * len(log)
    seen: set[tuple[int, int]] = set()
    pending = [(0, 0)]  # (operations the host has got past, bit mask of those done)
    while pending:
        state = pending.pop()
        if state in seen:
            continue
        seen.add(state)
        issued, done = state
        for seq in _ready(log, issued, done):
            after = done | 1 << seq
            later[seq] |= everything & ~after
            pending.append((issued + 1 if seq == issued else issued, after))
        if issued < len(log) and log.ops[issued].kind not in ON_HOST:
            pending.append((issued + 1, done))
    return later


def _ready(log: OpLog, issued: int, done: int) -> Iterator[int]:
    """Operations that may be carried out now: issued device work, and the host's next act."""
    for op in log.ops[:issued]:
        if not done >> op.seq & 1 and op.kind not in ON_HOST:
            if all(done >> seq & 1 for seq in _needs(log, op)):
                yield op.seq
    if issued < len(log) and log.ops[issued].kind in ON_HOST:
        if all(done >> seq & 1 for seq in _needs(log, log.ops[issued])):
            yield issued


def _needs(log: OpLog, op: Op) -> Iterator[int]:
    """Earlier operations that the device or the host finishes before it carries out `op`."""
    if op.kind in (OpKind.WAIT, OpKind.SYNC_OP) and op.target != NONE:
        yield op.target
    for earlier in log.ops[: op.seq]:
        if earlier.kind in ON_HOST:
            continue
        if op.kind is OpKind.SYNC_DEVICE:
            yield earlier.seq
        elif op.stream != HOST and _queues_behind(log, op, earlier):
            yield earlier.seq


def _queues_behind(log: OpLog, op: Op, earlier: Op) -> bool:
    """Same stream; or, for device work, one on the default stream and one on a blocking one."""
    if op.stream == earlier.stream:
        return True
    kinds = {log.streams[op.stream].kind, log.streams[earlier.stream].kind}
    on_device = op.kind is not OpKind.SYNC_STREAM
    return on_device and kinds == {StreamKind.DEFAULT, StreamKind.BLOCKING}
