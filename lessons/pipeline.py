"""A small pipelined server for exercises: real streams, events and buffers, two batches in flight.

The exercises about order run on it. It is the engine's loop with everything left out that is not
about order: each step the host writes four token ids into a slot, the student's code queues the
copy in, the forward pass and the copy out, and one step later the host takes the results.
The forward pass is arithmetic in place of a model, so that a wrong token is seen at once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from engine.checker.hazards import Hazard, find_hazards
from engine.device.api import Commit, Device, Event, Kernel, Stream
from engine.device.buffer import Buffer
from engine.device.cost import MS, US, CostModel
from engine.device.settings import Settings
from engine.device.virtual import VirtualDevice
from engine.oplog import OpKind
from engine.results.dump import build_trace
from traces import Trace

ROWS = 4
LAYERS = 3
VOCABULARY = 997

COST = CostModel(
    name="exercise",
    about="2 ms of host work, 6 ms of kernels, copies of 1 ms in and 0.5 ms out.",
    host_ns={"prepare": 1_500 * US, "use": 500 * US},
    kernel_ns={"embed": 300 * US, "layer": 5_400 * US, "sample": 300 * US},
    h2d_ns=1 * MS,
    d2h_ns=500 * US,
    launch_ns=5 * US,
    event_ns=1 * US,
)


class Streams(NamedTuple):
    """The three queues of the device."""

    h2d: Stream
    compute: Stream
    d2h: Stream


@dataclass(slots=True)
class Slot:
    """A pair of input and output buffers on either side, and what belongs to its present step.

    `forward` is the forward pass: kernels that read `device_inputs` and write `device_outputs`.
    The three events are new ones each time the slot is used.
    """

    number: int
    host_inputs: Buffer
    device_inputs: Buffer
    device_outputs: Buffer
    host_outputs: Buffer
    forward: tuple[Kernel, ...]
    h2d_done: Event
    compute_done: Event
    d2h_done: Event
    hidden: Buffer
    rows: int = ROWS

    def forward_into(self, outputs: Buffer) -> tuple[Kernel, ...]:
        """The forward pass with its tokens in other memory than the slot's own outputs."""
        return _forward(self.device_inputs, self.hidden, outputs)


def host_buffer(device: Device, what: str, slot: int, pinned: bool = True) -> Buffer:
    """Host memory for a slot: `what` is "host inputs" or "host outputs"."""
    label = "tokens" if what == "host inputs" else "out"
    return device.buffer(what, label, (ROWS,), on_host=True, slot=slot, pinned=pinned)


@dataclass(frozen=True)
class Program:
    """What the student has written, and for the rest what is right.

    `slot_of(step, slots)` gives a step's slot. `before_reuse(device, slot, in_flight, take)` is
    called before the host fills a slot: `in_flight` lists the slots whose results the host has not
    taken yet, the oldest first, and `take()` takes the oldest. `host_buffer(device, what, slot)`
    makes the host's memory, `warm_up(device, streams)` comes before the first step.
    """

    enqueue: Callable[[Device, Streams, Slot], None]
    collect: Callable[[Device, Slot], Sequence[int]]
    slot_of: Callable[[int, int], int] = lambda step, slots: step % slots
    before_reuse: Callable[[Device, int, list[int], Callable[[], None]], None] = (
        lambda device, slot, in_flight, take: None
    )
    host_buffer: Callable[[Device, str, int], Buffer] = host_buffer
    warm_up: Callable[[Device, Streams], None] = lambda device, streams: None


@dataclass
class Served:
    """What came of serving: the tokens the host took, those it should have taken, the log."""

    device: VirtualDevice
    tokens: list[list[int]] = field(default_factory=list)
    expected: list[list[int]] = field(default_factory=list)
    in_enqueue: list[tuple[int, int]] = field(default_factory=list)
    """for each step, the first and the next operation of the log that enqueueing made"""
    late_buffers: int = 0
    """how much memory was made after each slot had been used once"""

    @cached_property
    def hazards(self) -> list[Hazard]:
        """Accesses to the same memory that nothing orders."""
        return find_hazards(self.device.log)

    @property
    def right(self) -> bool:
        """Whether the host took the tokens that the forward pass makes of the inputs."""
        return self.tokens == self.expected

    @property
    def calls(self) -> list[tuple[object, ...]]:
        """What was called, without times: all that the search for hazards looks at."""
        return [(op.kind, op.stream, op.name, op.target, op.step) for op in self.device.log]

    @property
    def idle_share(self) -> float:
        """Share of the time between the first and the last kernel in which none runs."""
        spans = sorted((op.start_ns, op.end_ns) for op in self.device.log if op.kind is KERNEL)
        if not spans:
            return 1.0
        busy = end = spans[0][0]
        for start, stop in spans:
            busy += max(0, stop - max(start, end))
            end = max(end, stop)
        busy -= spans[0][0]
        return 1 - busy / max(1, end - spans[0][0])

    @property
    def blocking(self) -> list[OpKind]:
        """How the host was made to wait while it should only have enqueued; to look whether
        something is done is no wait."""
        ops = self.device.log.ops
        calls = [op for first, last in self.in_enqueue for op in ops[first:last]]
        return [
            op.kind
            for op in calls
            if op.kind in SYNCS and op.issue_ns - op.call_ns > self.device.cost.event_ns
        ]

    @property
    def waits_for_everything(self) -> bool:
        """Whether the whole device was waited for anywhere, but where memory ran out."""
        syncs = (op.name for op in self.device.log if op.kind is OpKind.SYNC_DEVICE)
        return any(name != "cold allocation" for name in syncs)

    def trace(self, about: str) -> Trace:
        """The run as a trace for the timeline."""
        return build_trace(self.device.log, self.device.spans, [], {"exercise": about})


TIMINGS = 100
"""Jittered timings under which an exercise must be right."""

JITTER_PERCENT = 60.0

KERNEL = OpKind.KERNEL
SYNCS = (OpKind.SYNC_OP, OpKind.SYNC_STREAM, OpKind.SYNC_DEVICE)


def serve(
    program: Program, *, steps: int = 8, depth: int = 2, slots: int = 2,
    jitter: float = 0.0, timing: int = 0,
) -> Served:  # fmt: skip
    """Serve `steps` batches with `depth` of them in flight, under one timing."""
    device = VirtualDevice(Settings(COST, seed=timing, jitter_percent=jitter))
    streams = Streams(*(device.stream(name) for name in ("H2D", "compute", "D2H")))
    hidden = device.buffer("activations", "hidden", (ROWS,))
    made = [_make_slot(device, program, number, hidden) for number in range(slots)]
    program.warm_up(device, streams)
    served = Served(device)
    in_flight: list[tuple[int, Slot]] = []
    numbers: list[int] = []
    known = len(device.log.buffers)

    def take() -> None:
        numbers.pop(0)
        _take(device, program, *in_flight.pop(0), served)

    for step in range(steps):
        if step == slots:
            known = len(device.log.buffers)
        number = program.slot_of(step, slots)
        device.context.step, device.context.slot = step, number
        program.before_reuse(device, number, numbers, take)
        slot = made[number]
        values = [(step * 37 + row * 101 + 5) % VOCABULARY for row in range(ROWS)]
        _prepare(device, slot, step, values)
        first = len(device.log.ops)
        with device.host("launch"):
            program.enqueue(device, streams, slot)
        served.in_enqueue.append((first, len(device.log.ops)))
        served.expected.append([forward_of(value) for value in values])
        in_flight.append((step, slot))
        numbers.append(number)
        if len(in_flight) >= depth:
            take()
    while in_flight:
        take()
    device.finish()
    served.late_buffers = len(device.log.buffers) - known
    return served


def try_timings(
    program: Program, plain: Served, *, share: int = 1, **how: int
) -> tuple[Served | None, Served | None]:
    """The first run with a hazard and the first with wrong tokens, over 1/`share` of TIMINGS
    timings and the `plain` run; None where there is none."""
    racing = plain if plain.hazards else None
    wrong = None if plain.right else plain
    for timing in range(-(-TIMINGS // share)):
        if racing is not None and wrong is not None:
            break
        served = serve(program, jitter=JITTER_PERCENT, timing=timing, **how)
        if racing is None and served.calls != plain.calls and served.hazards:
            racing = served
        if wrong is None and not served.right:
            wrong = served
    return racing, wrong


def _prepare(device: VirtualDevice, slot: Slot, step: int, values: list[int]) -> None:
    """The host's preparation of a step: new events, and the inputs in place."""
    device.context.step, device.context.slot = step, slot.number
    slot.h2d_done, slot.compute_done, slot.d2h_done = (
        device.event(name) for name in ("h2d_done", "compute_done", "d2h_done")
    )
    with device.host("prepare"):
        device.write("write inputs", [(slot.host_inputs, ROWS, values)])


def _take(device: VirtualDevice, program: Program, step: int, slot: Slot, served: Served) -> None:
    """The host takes the results of a step."""
    device.context.step, device.context.slot = step, slot.number
    with device.host("wait"):
        taken = list(program.collect(device, slot))
    with device.host("use"):
        served.tokens.append(taken)


def forward_of(value: int) -> int:
    """What the forward pass makes of a token id."""
    for _ in range(LAYERS + 2):
        value = (3 * value + 1) % VOCABULARY
    return value


def _make_slot(device: VirtualDevice, program: Program, number: int, hidden: Buffer) -> Slot:
    source = device.buffer("device inputs", "tokens", (ROWS,), slot=number)
    target = device.buffer("device outputs", "out", (ROWS,), slot=number)
    return Slot(
        number,
        program.host_buffer(device, "host inputs", number),
        source,
        target,
        program.host_buffer(device, "host outputs", number),
        _forward(source, hidden, target),
        device.event("h2d_done"),
        device.event("compute_done"),
        device.event("d2h_done"),
        hidden,
    )


def _forward(source: Buffer, hidden: Buffer, target: Buffer) -> tuple[Kernel, ...]:
    """embed, the layers, sample: each reads the one before. The memory between them is shared by
    all slots, as in the engine: the compute stream runs one step after the other."""
    layers = [_kernel(f"layer {n}", "layer", hidden, hidden, (n, LAYERS)) for n in range(LAYERS)]
    return (
        _kernel("embed", "embed", source, hidden),
        *layers,
        _kernel("sample", "sample", hidden, target),
    )


def _kernel(
    name: str, family: str, source: Buffer, target: Buffer, share: tuple[int, int] = (0, 1)
) -> Kernel:
    def body() -> Commit:
        values = (3 * source.tensor + 1) % VOCABULARY

        def commit() -> None:
            target.tensor.copy_(values)

        return commit

    return Kernel(name, family, (source.first(ROWS),), (target.first(ROWS),), body, share=share)
