"""Lesson 11's server: batches of one to four rows, replayed from graphs that somebody else chooses.

Steps take the slots in turn, but a step without rows takes none. What is captured is baked in: the
slot's addresses and the number of rows; what passes from kernel to kernel lies in a pool.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from engine.device.api import Commit, Device, Event, Graph, Kernel
from engine.device.buffer import Buffer
from engine.device.cost import MS, US, CostModel
from engine.device.settings import Settings
from engine.device.virtual import VirtualDevice

ROWS = 4
SIZES = (1, 2, 4)
ROWS_OF_STEPS = (3, 4, 2, 4, 1, 0, 4, 3, 2, 4, 1, 3)
DEPTH = 2
KERNELS = ("embed", "layers", "sample")

COST = CostModel(
    host_ns={"prepare": 1_500 * US, "use": 500 * US},
    kernel_ns={"embed": 300 * US, "layers": 5_400 * US, "sample": 300 * US},
    h2d_ns=1 * MS,
    d2h_ns=500 * US,
    launch_ns=5 * US,
    event_ns=1 * US,
)


@dataclass(eq=False)
class Pool:
    """Memory for what passes from kernel to kernel, made at the first capture that uses it."""

    made: list[Buffer] = field(default_factory=list)

    def memory(self, device: Device) -> Buffer:
        """The pool's memory, as large as the largest graph needs it."""
        if not self.made:
            self.made.append(device.buffer("graph pool", "hidden", (ROWS,)))
        return self.made[0]


@dataclass
class Slot:
    """The buffers of a slot."""

    host_inputs: Buffer
    inputs: Buffer
    outputs: Buffer
    host_outputs: Buffer


@dataclass(frozen=True)
class Replayed:
    """What was replayed for a batch: its step, slot and rows, and the graph's slot and size."""

    step: int
    slot: int
    rows: int
    graph_slot: int
    size: int


@dataclass
class Server:
    """A device, its slots, the graphs captured so far, and what came of serving."""

    device: VirtualDevice
    slots: list[Slot]
    captured: dict[str, tuple[int, int]] = field(default_factory=dict)
    pools: set[Pool] = field(default_factory=set)
    serving: bool = False
    late_captures: int = 0
    replayed: list[Replayed] = field(default_factory=list)
    tokens: list[list[int]] = field(default_factory=list)
    expected: list[list[int]] = field(default_factory=list)

    def capture(self, slot: int, size: int, pool: Pool) -> Graph:
        """Capture the forward pass of `size` rows on a slot's addresses."""
        self.late_captures += self.serving
        self.pools.add(pool)
        hidden, mine = pool.memory(self.device), self.slots[slot]
        between = (mine.inputs, hidden, hidden, mine.outputs)
        name = f"graph of {size} rows, slot {slot}"
        self.captured[name] = slot, size
        kernels = (
            _kernel(kernel, between[number], between[number + 1], size)
            for number, kernel in enumerate(KERNELS)
        )
        return Graph(name, tuple(kernels))


Choose = Callable[[Device, int, int, int], Graph]
"""graph_for(device, step, slot, rows)."""


def forward_of(value: int) -> int:
    """What the forward pass makes of a token id."""
    for _ in KERNELS:
        value = (3 * value + 1) % 997
    return value


def make_server(slots: int, jitter: float = 0.0, timing: int = 0) -> Server:
    """A server with nothing captured."""
    device = VirtualDevice(Settings(COST, seed=timing, jitter_percent=jitter))

    def buffer(resource: str, slot: int) -> Buffer:
        return device.buffer(resource, "x", (ROWS,), on_host=resource.startswith("host"), slot=slot)

    resources = ("host inputs", "device inputs", "device outputs", "host outputs")
    return Server(device, [Slot(*(buffer(name, n) for name in resources)) for n in range(slots)])


def serve(server: Server, graph_for: Choose) -> Server:
    """Serve all steps, two batches in flight; the graphs have been captured before."""
    device, server.serving = server.device, True
    h2d, compute, d2h = (device.stream(name) for name in ("H2D", "compute", "D2H"))
    in_flight: list[tuple[int, int, int, Event]] = []
    batches = 0
    for step, rows in enumerate(ROWS_OF_STEPS):
        if rows == 0:
            continue
        number = batches % len(server.slots)
        batches += 1
        slot = server.slots[number]
        values = [(step * 37 + row * 101 + 5) % 997 for row in range(rows)]
        server.expected.append([forward_of(value) for value in values])
        device.context.step, device.context.slot = step, number
        h2d_done, compute_done, d2h_done = (device.event(n) for n in ("h2d", "compute", "d2h"))
        with device.host("prepare"):
            device.write("write inputs", [(slot.host_inputs, rows, values)])
        graph = graph_for(device, step, number, rows)
        server.replayed.append(Replayed(step, number, rows, *server.captured[graph.name]))
        with device.host("launch"):
            h2d.copy(slot.inputs, slot.host_inputs, rows)
            h2d.record(h2d_done)
            compute.wait(h2d_done)
            compute.replay(graph)
            compute.record(compute_done)
            d2h.wait(compute_done)
            d2h.copy(slot.host_outputs, slot.outputs, rows)
            d2h.record(d2h_done)
        in_flight.append((step, number, rows, d2h_done))
        if len(in_flight) >= DEPTH:
            _take(server, *in_flight.pop(0))
    while in_flight:
        _take(server, *in_flight.pop(0))
    device.finish()
    return server


def _take(server: Server, step: int, number: int, rows: int, d2h_done: Event) -> None:
    """The host takes the results of a step."""
    device = server.device
    device.context.step, device.context.slot = step, number
    with device.host("wait"):
        d2h_done.synchronize()
    with device.host("use"):
        taken = device.read("read tokens", server.slots[number].host_outputs, rows)
    server.tokens.append(taken)


def _kernel(name: str, source: Buffer, target: Buffer, size: int) -> Kernel:
    def body() -> Commit:
        values = (3 * source.tensor[:size] + 1) % 997

        def commit() -> None:
            target.tensor[:size] = values

        return commit

    return Kernel(name, name, (source.first(size),), (target.first(size),), body)


def faulty() -> VirtualDevice:
    """The server with the choice of the exercise as it is given."""
    server, pool = make_server(2), Pool()
    graphs = {(s, size): server.capture(s, size, pool) for s in range(2) for size in SIZES}

    def graph_for(device: Device, step: int, slot: int, rows: int) -> Graph:
        size = min(size for size in SIZES if size >= rows)
        return graphs[step % 2, size]

    return serve(server, graph_for).device
