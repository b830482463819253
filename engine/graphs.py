"""CUDA graphs: a decode batch's kernels, captured once and replayed by one launch.

What is captured is baked in: the slot's addresses, the number of rows (padded to one of a
few sizes), the columns of the block table, and the memory for what passes from kernel to
kernel (a pool that all graphs share, or one each). What changes from replay to replay must
lie in device memory. `control` [2] of a slot holds the place in the carry ring of the
batch's first row, and the number of rows in use: rows behind it are padding, which write
neither keys and values nor results. Prefill is never captured.

The figures of a capture are not on the clock: engines capture before they serve.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import msgspec
import torch

from engine.batch import Batch
from engine.device.api import Body, Commit, Device, Graph, Kernel, Stream
from engine.device.buffer import Buffer
from engine.forward import Forward, Placing
from engine.ledger import Ledger
from engine.mechanisms.table import Mechanisms
from engine.model.weights import ModelConfig
from engine.oplog import Access, StreamKind
from engine.requests.request import Row
from engine.views import Views

RING_START, ACTIVE = range(2)
"""The rows of `control`. The active count stands last, so that a copy can leave it out."""


class Spec(NamedTuple):
    """A buffer of a pool."""

    label: str
    shape: tuple[int, ...]
    dtype: torch.dtype


class Key(NamedTuple):
    """What a graph was captured for: rows `first` to first + size of a slot."""

    slot: int
    first: int
    size: int
    columns: int


class GraphViews(Views, frozen=True, eq=False):
    """What captured kernels see: baked-in rows, of which `control` says how many are in use."""

    def control(self) -> tuple[Access, ...]:
        """The control words, read by every kernel that tells padding from rows in use."""
        return (self.inputs["control"].first(2),)

    def live(self) -> torch.Tensor:
        """[R] bool: the rows in use."""
        active = self.inputs["control"].tensor[ACTIVE]
        return self.numbers(self.first + self.rows, self.first) < active

    def places(self) -> torch.Tensor:
        """As in `Views`, rows counted from `first`; padding stands in rows of its own."""
        places, live = Views.places(self), self.live()
        positions = torch.where(live, places[:, 0], 0)
        rows = torch.where(live, places[:, 1] - self.first, self.numbers(self.rows))
        return torch.stack((positions, rows, places[:, 2]), 1)

    def sampling(self) -> torch.Tensor:
        """As in `Views`, token rows counted from `first`."""
        sampling = Views.sampling(self).clone()
        sampling[:, 0] -= self.first
        return sampling

    def ring_places(self) -> torch.Tensor:
        """[R]: where in the ring the sampled tokens go."""
        start = self.inputs["control"].tensor[RING_START] + self.first
        return (self.numbers(self.rows) + start) % self.ring_rows

    def blocks_written(self, block_size: int) -> list[int]:
        """The KV blocks that the rows in use write into; to be asked where kernels may look."""
        table, live = self.table(), self.live()
        columns = (self.places()[:, 0] // block_size).clamp(0, table.shape[1] - 1)
        blocks: list[int] = table[self.numbers(self.rows), columns][live].unique().tolist()
        return blocks


@dataclass(frozen=True, slots=True)
class Captured:
    """A graph: its bodies are those of the capture, whatever batch it is replayed for."""

    key: Key
    forward: Forward
    views: GraphViews
    out: Buffer
    bodies: dict[str, Body]


@dataclass(slots=True)
class Graphs:
    """The captured graphs of an engine, and the bytes of their pools.

    `side` is the stream on which one of two graphs runs that are replayed at once;
    `in_pool` says what a pool holds: ids, hidden states, logits, output.
    """

    device: Device
    mechanisms: Mechanisms
    forward: Forward
    ledger: Ledger
    side: Stream | None = None
    in_pool: tuple[Spec, ...] = ()
    captured: dict[Key, Captured] = field(default_factory=dict)
    pools: list[tuple[Buffer, ...]] = field(default_factory=list)

    @property
    def pool_bytes(self) -> int:
        """Device bytes of all pools."""
        return sum(buffer.info.nbytes for pool in self.pools for buffer in pool)

    @property
    def bound_bytes(self) -> int:
        """Device bytes of one pool, which is large enough for every graph."""
        return sum(math.prod(spec.shape) * spec.dtype.itemsize for spec in self.in_pool)

    def choose(self, batch: Batch, ring_start: int) -> None:
        """Give a batch of decode rows its graphs, captured where they are new."""
        count, m = len(batch.launched), self.mechanisms
        if batch.tokens != count:
            return
        parts = [(0, count)]
        if m.graph_concurrency == "at-once" and count > 1:
            half = 1 << (count - 1).bit_length() - 1  # the largest power of two below
            parts = [(0, half), (half, count)]
        batch.graphs = tuple(self._graph(batch, first, stop) for first, stop in parts)
        active = (count,) if m.graph_padding == "refreshed" else ()
        batch.control = (ring_start, *active)
        if m.graph_output == "inside":
            batch.output = batch.graphs[0].out

    def replays(self, batch: Batch, ring_start: int) -> list[Graph]:
        """A batch's graphs, each kernel with the memory it touches in this replay."""
        ends = [graph.key.first for graph in batch.graphs[1:]] + [len(batch.launched)]
        return [
            self._replay(graph, batch, batch.launched[graph.key.first : end], ring_start)
            for graph, end in zip(batch.graphs, ends, strict=True)
        ]

    def _graph(self, batch: Batch, first: int, stop: int) -> Captured:
        """The graph for rows `first` to `stop` of a batch."""
        m, most = self.mechanisms, self.forward.workload.batch - first
        slot = batch.device_slot
        if m.graph_slot == "mixed-up":
            slot = (slot + 1) % m.device_slots
        size = min(1 << (stop - first - 1).bit_length(), most)
        columns = max(len(row.request.blocks) for row in batch.launched[first:stop])
        key = Key(slot, first, size, columns if m.graph_key == "full" else 0)
        if key not in self.captured:
            self.captured[key] = self._capture(key, columns)
        return self.captured[key]

    def _capture(self, key: Key, columns: int) -> Captured:
        slots, ring_rows = self.forward.slots, self.forward.ring.info.rows
        inputs = slots.device_inputs[key.slot].buffers
        views = GraphViews(inputs, key.size, key.size, columns, 0, ring_rows, key.first)
        ids, hidden, logits, inside = self._pool()
        outside = self.mechanisms.graph_output == "outside"
        out = slots.device_outputs[key.slot] if outside else inside
        forward = replace(
            self.forward,
            ids=ids,
            hidden=hidden,
            logits=logits,
            placing=Placing(self.forward.workload.window),
        )
        return Captured(key, forward, views, out, forward.bodies(views, out))

    def _pool(self) -> tuple[Buffer, ...]:
        """Memory for a new graph's intermediates and output: the shared pool, or one more."""
        if not self.pools or self.mechanisms.graphs == "private":
            buffers = [
                self.device.buffer("graph pool", label, shape, dtype=dtype)
                for label, shape, dtype in self.in_pool
            ]
            self.pools.append(tuple(buffers))
        return self.pools[-1]

    def _replay(self, graph: Captured, batch: Batch, rows: Sequence[Row], ring_start: int) -> Graph:
        key = graph.key
        kernels = graph.forward.launches(graph.views, graph.out, rows, graph.bodies, ring_start)
        model = graph.forward.model
        if model is not None and model.looks:
            _, used, _ = graph.forward.touched(batch.launched)
            layer = next(i for i, kernel in enumerate(kernels) if kernel.family == "layer")
            kernels[layer] = self._watched(kernels[layer], graph, batch.step, used)
        name = f"graph of {key.size} rows, slot {key.slot}"
        return Graph(name, tuple(kernels))

    def _watched(self, kernel: Kernel, graph: Captured, step: int, own: int) -> Kernel:
        """The same kernel, its KV writes held against the blocks of the batch's requests.

        Not on a GPU: the host would have to wait for the block table.
        """
        body, size = graph.bodies[kernel.name], self.forward.workload.block_size

        def watched() -> Commit:
            blocks = graph.views.blocks_written(size)
            self.ledger.wrote(step, [block for block in blocks if not own >> block & 1])
            return body()

        return msgspec.structs.replace(kernel, body=watched)


def make_graphs(
    device: Device,
    mechanisms: Mechanisms,
    forward: Forward,
    ledger: Ledger,
    config: ModelConfig,
    out_columns: int,
) -> Graphs | None:
    """An engine's graphs; None where kernels are launched one by one.

    `out_columns` is the vocabulary size when the host samples, otherwise 0.
    """
    if mechanisms.graphs == "off":
        return None
    rows = forward.workload.batch
    for slot in forward.slots.device_inputs:  # a capture runs a full batch: every row in use
        if forward.model is not None:
            slot.buffers["control"].tensor[ACTIVE].fill_(rows)
    out = forward.slots.device_outputs[0].info.label
    floats = torch.float64 if forward.model is None else forward.model.dtype
    out_shape = (rows, out_columns) if out_columns else (rows,)
    in_pool = (
        Spec("ids", (rows,), torch.int64),
        Spec("hidden", (rows, config.dim), floats),
        Spec("logits", (rows, config.vocab), floats),
        Spec(out, out_shape, torch.float64 if out_columns else torch.int64),
    )
    side = None
    if mechanisms.graph_concurrency == "at-once":
        side = device.stream("compute 2", StreamKind(mechanisms.stream_kind))
    return Graphs(device, mechanisms, forward, ledger, side, in_pool)
