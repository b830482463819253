"""Hand-made logs for the hazard checker, and its verdict in a form to compare.

`pipeline` issues what an engine's loop would: host write, H2D, kernels, D2H, host
read, in rotating slots, each ordering edge removable by name.
"""

from collections.abc import Collection

from engine.checker.hazards import find_hazards, find_races
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
    row_mask,
)

H2D, COMPUTE, D2H = range(3)
WAITS = ("wait_h2d", "wait_compute", "sync_d2h")
REUSE_EDGES = (
    "reuse_host_input",
    "reuse_device_input",
    "reuse_device_output",
    "reuse_host_output",
)
TENSORS = ("tokens", "positions")
LOOP_FAULTS = {
    "wait_h2d": ("RAW", "device inputs", "h2d_done -> compute"),
    "wait_compute": ("RAW", "device outputs", "compute_done -> d2h"),
    "sync_d2h": ("RAW", "host outputs", "d2h_done -> host read"),
    "reuse_host_input": ("WAR", "host inputs", "h2d_done -> host write"),
    "reuse_device_input": ("WAR", "device inputs", "compute_done -> h2d"),
    "reuse_device_output": ("WAR", "device outputs", "d2h_done -> compute"),
    "reuse_host_output": ("WAR", "host outputs", "host read -> d2h"),
}
"""What the checker must report where one edge of the loop is missing."""

# One access: what does it, on which stream, reading or writing.
H2D_W, D2H_W = (OpKind.H2D, H2D, "w"), (OpKind.D2H, D2H, "w")
H2D_R, D2H_R = (OpKind.H2D, H2D, "r"), (OpKind.D2H, D2H, "r")
KERNEL_R, KERNEL_W = (OpKind.KERNEL, COMPUTE, "r"), (OpKind.KERNEL, COMPUTE, "w")
KERNEL_ELSEWHERE = (OpKind.KERNEL, D2H, "r")
HOST_R, HOST_W = (OpKind.HOST_READ, HOST, "r"), (OpKind.HOST_WRITE, HOST, "w")


class Builder:
    """Appends operations to a log and numbers them."""

    def __init__(self, kinds: tuple[StreamKind, ...] = (StreamKind.NON_BLOCKING,) * 3) -> None:
        names = ("H2D", "compute", "D2H")
        streams = [StreamInfo(i, names[i], kind) for i, kind in enumerate(kinds)]
        self.log = OpLog([], streams, [])

    def buffer(self, resource: str, label: str = "tokens", slot: int = 0) -> int:
        index = len(self.log.buffers)
        on_host = resource.startswith("host")
        self.log.buffers.append(BufferInfo(index, resource, label, slot, 8, 64, on_host))
        return index

    def add(
        self,
        kind: OpKind,
        stream: int = HOST,
        reads: Collection[int] = (),
        writes: Collection[int] = (),
        step: int = NONE,
        name: str = "",
        target: int = NONE,
        rows: int = row_mask(0, 8),
    ) -> int:
        """Append an operation that touches `rows` of the given buffers; returns its seq."""
        op = Op(len(self.log), kind, name or f"{kind} {len(self.log)}", stream, step)
        op.reads = tuple(Access(buffer, rows) for buffer in reads)
        op.writes = tuple(Access(buffer, rows) for buffer in writes)
        op.target = target
        self.log.ops.append(op)
        return op.seq


class _Loop:
    """A pipelined loop of a given depth over rotating slots."""

    def __init__(self, depth: int, slots: int, missing: Collection[str]) -> None:
        self.depth, self.slots, self.missing = depth, slots, missing
        self.builder = Builder()
        self.add = self.builder.add
        of_slot = range(slots)
        self.host_in = [self._inputs("host inputs", slot) for slot in of_slot]
        self.device_in = [self._inputs("device inputs", slot) for slot in of_slot]
        self.device_out = [self.builder.buffer("device outputs", "ids", s) for s in of_slot]
        self.host_out = [self.builder.buffer("host outputs", "ids", s) for s in of_slot]
        self.h2d_done: list[int] = []
        self.compute_done: list[int] = []
        self.d2h_done: list[int] = []
        self.committed = 0

    def _inputs(self, resource: str, slot: int) -> list[int]:
        return [self.builder.buffer(resource, tensor, slot) for tensor in TENSORS]

    def order(self, toggle: str, step: int, stream: int, events: list[int]) -> None:
        """Wait on `stream` (or the host) for the event of `step`, unless the edge is missing."""
        if toggle not in self.missing and step >= 0:
            kind = OpKind.SYNC_OP if stream == HOST else OpKind.WAIT
            self.add(kind, stream, step=step, target=events[step])

    def launch(self, step: int) -> None:
        slot, previous = step % self.slots, step - self.slots
        add, done = self.add, OpKind.RECORD
        self.order("reuse_host_input", previous, HOST, self.h2d_done)
        for tensor, buffer in zip(TENSORS, self.host_in[slot], strict=True):
            add(OpKind.HOST_WRITE, writes=[buffer], step=step, name=f"write {tensor}")
        self.order("reuse_device_input", previous, H2D, self.compute_done)
        for index, tensor in enumerate(TENSORS):
            source, target = self.host_in[slot][index], self.device_in[slot][index]
            add(OpKind.H2D, H2D, [source], [target], step, f"h2d {tensor}")
        self.h2d_done.append(add(done, H2D, step=step))
        self.order("wait_h2d", step, COMPUTE, self.h2d_done)
        self.order("reuse_device_output", previous, COMPUTE, self.d2h_done)
        add(OpKind.KERNEL, COMPUTE, self.device_in[slot][:1], step=step, name="embed")
        add(OpKind.KERNEL, COMPUTE, self.device_in[slot][1:], step=step, name="layer 0")
        add(OpKind.KERNEL, COMPUTE, writes=[self.device_out[slot]], step=step, name="sample")
        self.compute_done.append(add(done, COMPUTE, step=step))
        self.order("wait_compute", step, D2H, self.compute_done)
        if "reuse_host_output" not in self.missing:
            self.commit_up_to(previous)
        outputs = [self.device_out[slot]], [self.host_out[slot]]
        add(OpKind.D2H, D2H, *outputs, step, "d2h ids")
        self.d2h_done.append(add(done, D2H, step=step))

    def commit_up_to(self, step: int) -> None:
        for batch in range(self.committed, step + 1):
            self.order("sync_d2h", batch, HOST, self.d2h_done)
            source = self.host_out[batch % self.slots]
            self.add(OpKind.HOST_READ, reads=[source], step=batch, name="read ids")
            self.committed = batch + 1


def pipeline(
    steps: int, depth: int = 2, slots: int = 2, missing: Collection[str] = frozenset()
) -> OpLog:
    """The log of `steps` batches, `depth` in flight, without the `missing` edges."""
    loop = _Loop(depth, slots, missing)
    for step in range(steps):
        loop.launch(step)
        loop.commit_up_to(step - depth + 1)
    loop.commit_up_to(steps - 1)
    return loop.builder.log


def two_accesses(
    first: tuple[OpKind, int, str],
    second: tuple[OpKind, int, str],
    steps: tuple[int, int] = (0, 1),
    slot: int = 0,
) -> OpLog:
    """Two unordered operations on one buffer, of the given steps."""
    builder = Builder()
    buffer = builder.buffer("memory", slot=slot)
    for (kind, stream, way), step in zip((first, second), steps, strict=True):
        touched = {"reads" if way == "r" else "writes": [buffer]}
        builder.add(kind, stream, step=step, **touched)
    return builder.log


def found_pairs(log: OpLog) -> set[tuple[int, int]]:
    """All racing pairs that the checker finds, by seq, lower first."""
    races = find_races(log, every=True)
    return {(min(r.first.seq, r.second.seq), max(r.first.seq, r.second.seq)) for r in races}


def verdict(log: OpLog) -> set[tuple[str, str, str]]:
    """The hazards as they are compared: (kind, resource, missing edge)."""
    return {(h.kind, h.resource, h.missing_edge) for h in find_hazards(log)}
