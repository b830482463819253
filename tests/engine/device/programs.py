"""Random small programs for a device, and what their log must have done to memory.

A program is a list of calls on up to four streams. `replay` is an oracle for memory that
knows nothing of the simulator: it takes the times in the log and applies every effect in
the order the design prescribes.
"""

from typing import NamedTuple

from hypothesis import strategies as st
from msgspec.structs import replace

from engine.device.api import Graph
from engine.oplog import OpKind, StreamKind
from tests.engine.device.bench import fill, idle, kernel, peek

ROWS, BUFFERS, EVENTS = 6, 2, 2
KINDS = st.sampled_from(StreamKind)


class Call(NamedTuple):
    """One call: on which stream, with which buffers (x on the host, y and z on the device)."""

    verb: str
    stream: int
    x: int
    y: int
    z: int
    family: str


VERBS = (
    "kernel", "kernel", "replay", "h2d", "h2d", "d2h", "d2h", "record", "record", "wait", "wait",
    "write", "read", "idle", "sync event", "query event", "sync stream", "sync device",
)  # fmt: skip
calls = st.builds(
    Call,
    st.sampled_from(VERBS),
    st.integers(0, 3),
    st.integers(0, BUFFERS - 1),
    st.integers(0, BUFFERS - 1),
    st.integers(0, BUFFERS - 1),
    st.sampled_from(["layer", "carry", "head"]),
)
programs = st.lists(calls, min_size=1, max_size=16)
streams = st.lists(KINDS, min_size=2, max_size=4)


def costs(sharing):
    """Cost models with odd durations; without `sharing` nothing slows anything down."""
    duration = st.integers(ROWS, 60)
    share = st.sampled_from([0, 300, 500, 1000] if sharing else [0])
    return st.fixed_dictionaries(
        {
            "kernel_ns": st.fixed_dictionaries(dict.fromkeys(("layer", "carry", "head"), duration)),
            "h2d_ns": duration,
            "d2h_ns": duration,
            "launch_ns": st.integers(1, 9),
            "event_ns": st.integers(0, 3),
            "chunks": st.integers(1, 8),
            "copy_engines": st.integers(1, 2),
            "occupancy": share,
            "kernel_bandwidth": share,
            "copy_bandwidth": share,
        }
    )


def affine(dst, src, seq):
    """A kernel whose result tells what it read and when: 3 src + seq, row by row."""
    return kernel(f"k{seq}", dst, src, lambda values: (3 * values + seq) % 100_003)


class Session:
    """A device with streams, buffers and events, on which a program is run call by call."""

    def __init__(self, device, kinds):
        self.device = device
        self.streams = [device.stream(f"s{i}", kind) for i, kind in enumerate(kinds)]
        self.host = [device.buffer("host", f"h{i}", (ROWS,), on_host=True) for i in range(BUFFERS)]
        self.memory = [device.buffer("device", f"d{i}", (ROWS,)) for i in range(BUFFERS)]
        self.events = [device.event(f"e{i}") for i in range(EVENTS)]
        self.seen = []

    def run(self, program):
        """Make every call, then let the device run dry."""
        for call in program:
            self.call(call)
        self.device.finish()
        return self

    def call(self, call):
        device, host = self.device, self.host[call.x]
        stream, event = self.streams[call.stream % len(self.streams)], self.events[call.x]
        seq = len(device.log)
        match call.verb:
            case "kernel":
                launched = affine(self.memory[call.z], self.memory[call.y], seq)
                stream.launch(replace(launched, family=call.family))
            case "replay":
                y, z, family = self.memory[call.y], self.memory[call.z], call.family
                there, back = affine(z, y, seq), affine(y, z, seq + 1)
                stream.replay(
                    Graph("graph", tuple(replace(k, family=family) for k in (there, back)))
                )
            case "h2d":
                stream.copy(self.memory[call.y], host, ROWS)
            case "d2h":
                stream.copy(host, self.memory[call.y], ROWS)
            case "record":
                stream.record(event)
            case "wait":
                stream.wait(event)
            case "write":
                fill(device, host, seq)
            case "read":
                self.seen.append((seq, peek(device, host)))
            case "idle":
                idle(device, 10 * (1 + call.y + call.z))
            case "sync event":
                event.synchronize()
            case "query event":
                event.query()
            case "sync stream":
                stream.synchronize()
            case "sync device":
                device.synchronize()

    def contents(self):
        """Every buffer's values, by number."""
        return {b.info.index: b.tensor.tolist() for b in self.host + self.memory}


EFFECT, START, HOST_ACTION = range(3)


def replay(log, chunks, until_ns=None):
    """Buffer contents and what the host read, worked out from the times in the log.

    Effects come before starts at one instant and both before the host's own actions;
    ties go by order of issue. A copy's piece i of n arrives after (i+1)/n of its time.
    """
    memory = {buffer.index: [0] * buffer.rows for buffer in log.buffers}
    held, seen = {}, []

    def start(op):
        held[op.seq] = list(memory[op.reads[0].buffer])

    def end(op):
        memory[op.writes[0].buffer] = [(3 * v + op.seq) % 100_003 for v in held[op.seq]]

    def arrive(op, first, stop):
        memory[op.writes[0].buffer][first:stop] = memory[op.reads[0].buffer][first:stop]

    def write(op):
        memory[op.writes[0].buffer] = [op.seq] * ROWS

    def read(op):
        seen.append((op.seq, list(memory[op.reads[0].buffer])))

    steps = []
    for op in log:
        if op.kind is OpKind.KERNEL:
            steps.append((op.start_ns, START, op.seq, start, (op,)))
            steps.append((op.end_ns, EFFECT, op.seq, end, (op,)))
        elif op.kind in (OpKind.H2D, OpKind.D2H):
            pieces, work_ns = min(chunks, ROWS), op.end_ns - op.start_ns
            bounds = [ROWS * i // pieces for i in range(pieces + 1)]
            for i in range(pieces):
                at_ns = op.start_ns + work_ns * (i + 1) // pieces
                steps.append((at_ns, EFFECT, op.seq, arrive, (op, bounds[i], bounds[i + 1])))
        elif op.kind is OpKind.HOST_WRITE:
            steps.append((op.issue_ns, HOST_ACTION, op.seq, write, (op,)))
        elif op.kind is OpKind.HOST_READ:
            steps.append((op.issue_ns, HOST_ACTION, op.seq, read, (op,)))
    for at_ns, _, _, act, arguments in sorted(steps, key=lambda step: step[:3]):
        if until_ns is None or at_ns <= until_ns:
            act(*arguments)
    return memory, seen
