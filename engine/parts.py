"""An engine put together: streams, slots, scheduler, forward pass and books.

`Parts` is what the loop works with. It also settles results: it hands the sampled tokens
of a batch to the requests that had rows in it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

import torch

from engine.batch import Batch
from engine.device.api import Buffer, Device, Kernel, Stream
from engine.forward import Forward, make_forward
from engine.kv import BlockPool, blocks_for
from engine.ledger import Ledger
from engine.lengths import late_rows
from engine.mechanisms import Mechanisms
from engine.model import Model
from engine.model_weights import ModelConfig
from engine.oplog import StreamKind, rows_mask
from engine.request import Request
from engine.sampling import make_sampler
from engine.scheduler import Scheduler
from engine.slots import Slots, make_slots
from engine.workload import Workload

Listener = Callable[[str, str], None]
"""Called with (request id, new text) whenever committed tokens are streamed."""

STREAM_LAYOUTS: dict[str, tuple[str, str, str]] = {
    "three": ("H2D", "compute", "D2H"),
    "two-copies": ("copies", "compute", "copies"),
    "two-h2d": ("compute", "compute", "D2H"),
    "two-d2h": ("H2D", "compute", "compute"),
    "one": ("compute", "compute", "compute"),
    "default": ("default", "default", "default"),
    "d2h-default": ("H2D", "compute", "default"),
}
"""Which streams H2D, compute and D2H use, for each value of `streams`."""


@dataclass(slots=True)
class Parts:
    """Everything an engine is made of."""

    device: Device
    mechanisms: Mechanisms
    workload: Workload
    model: Model | None
    scheduler: Scheduler
    pool: BlockPool
    ledger: Ledger
    slots: Slots
    forward: Forward
    h2d: Stream
    compute: Stream
    d2h: Stream
    scratch: Buffer
    listener: Listener | None = None
    counters: list[tuple[int, str, int]] = field(default_factory=list)

    @property
    def computes(self) -> bool:
        """False in a timing-only run."""
        return self.model is not None

    def grow_blocks(self, batch: Batch) -> None:
        """Give every row of a batch the KV blocks its new tokens need."""
        size = self.pool.block_size
        for row in batch.launched:
            if row.start + row.count > len(row.request.blocks) * size:
                self._grow(row.request, row.start + row.count)
                self.ledger.blocks(batch, row.request)
        for row in self.scheduler.stale.launched:
            self.ledger.writes(batch, row.request, row.request.blocks[row.start // size])
        self._count()

    def _grow(self, request: Request, positions: int) -> None:
        held = len(request.blocks)
        self.pool.grow(request.id, request.blocks, positions)
        request.block_mask |= rows_mask(request.blocks[held:])

    def kernels(self, batch: Batch) -> list[Kernel]:
        """The batch's kernels in launch order (a cold allocation first, where asked for)."""
        if self.mechanisms.first_touch_alloc:
            temporary = self.device.allocate(4096 * (batch.step + 1), self.compute, "temporary")
            self.device.free(temporary)
        return self.forward.kernels(batch, self.scheduler.ring_place(batch.step, 0))

    def tokens_of(self, read: list[int] | list[list[float]], batch: Batch) -> list[int]:
        """Token ids from what the host read: the ids, or logits that the host samples from."""
        if self.mechanisms.sampling == "device" or not self.computes:
            return cast(list[int], read)
        seeds = torch.tensor([row.request.seed for row in batch.launched])
        positions = torch.tensor([row.output for row in batch.launched])
        logits = torch.tensor(read, dtype=torch.float64)
        tokens: list[int] = self.forward.sampler(logits, seeds, positions).tolist()
        return tokens

    def settle(self, batch: Batch, tokens: list[int]) -> None:
        """Hand a batch's tokens to its rows; rows of ended requests are skipped (zombies)."""
        self.ledger.settled(batch)
        for row in batch.launched:
            row.request.in_flight -= 1
        rows, zombie = self.scheduler.identity.match(batch.rows), self.mechanisms.zombie
        if zombie == "unconsumed":
            rows = [row for row in rows if not row.request.finished]
        for row, token in zip(rows, tokens, strict=False):  # shared rows may be more or fewer
            request = row.request
            if row.samples and (request.takes_tokens or zombie == "leaked"):
                request.computed += 1
                request.commit(token, batch.step)
            elif row.samples:
                self.ledger.wasted_rows += 1
                request.throw_away(row.output)
            if not request.scheduled >= request.computed >= len(request.tokens):
                self.ledger.lengths(request)
        self._count()

    def _count(self) -> None:
        """Note what is in flight and in use now, for the counters under the timeline."""
        now_ns = self.device.now_ns
        self.counters.append((now_ns, "tokens in flight", self.ledger.tokens_in_flight))
        self.counters.append((now_ns, "KV blocks in use", self.pool.in_use))

    def stream(self, batch: Batch) -> None:
        """Hand committed tokens out to whoever listens."""
        if self.listener is not None:
            for request in [row.request for row in batch.rows]:
                if request.streamed < len(request.tokens):
                    new = bytes(request.tokens[request.streamed :])
                    self.listener(request.id, new.decode("utf-8", "replace"))
        for row in batch.rows:
            row.request.streamed = len(row.request.tokens)

    def close(self, cut: bool) -> list[Request]:
        """End the run: free what cut requests hold, check the books, return all requests."""
        requests = [r for r in self.scheduler.all_requests if r.prefilled]
        for request in self.scheduler.running:
            if cut or (request.finished and not request.in_flight):
                self.ledger.release(request)
        self.ledger.finished(requests, cut)
        return requests


def build_parts(
    device: Device,
    mechanisms: Mechanisms,
    workload: Workload,
    model: Model | None,
    config: ModelConfig,
    *,
    seed: int,
    requests: int | None,
    endless: bool,
    listener: Listener | None = None,
) -> Parts:
    """Put an engine together on a device. `model` is None in a timing-only run.

    Raises WorkloadError when a request can never fit.
    """
    h2d, compute, d2h = make_streams(device, mechanisms)
    pool = BlockPool(workload.kv_blocks, workload.block_size, seed)
    blocks = blocks_for(workload.longest_request + late_rows(mechanisms), workload.block_size)
    on_host = mechanisms.sampling == "host"
    slots = make_slots(
        device, workload, mechanisms.device_slots, mechanisms.host_slots, blocks,
        pinned=mechanisms.memory == "pinned", logits_out=config.vocab if on_host else 0,
    )  # fmt: skip
    in_flight = max(mechanisms.depth, mechanisms.device_slots) + 1
    large = mechanisms.carry_ring == "large"
    ring_rows = workload.batch * in_flight if large else max(1, workload.batch // 2)
    source = workload.requests_for(seed, requests, endless)
    scheduler = Scheduler(workload, mechanisms, source, pool, ring_rows)
    sampler = make_sampler(workload, mechanisms.rng, seed)
    forward = make_forward(
        device, model, config, slots, workload, sampler, mechanisms.carry, ring_rows,
        mask_ended=mechanisms.eos_policy == "mask",
    )  # fmt: skip
    scratch_shape = (workload.batch, config.vocab) if on_host else (workload.batch,)
    scratch = device.buffer(
        "host scratch", "scratch", scratch_shape, on_host=True,
        dtype=torch.float64 if on_host else torch.int64,
    )  # fmt: skip
    return Parts(
        device, mechanisms, workload, model, scheduler, pool, Ledger(pool), slots, forward,
        h2d, compute, d2h, scratch, listener,
    )  # fmt: skip


def make_streams(device: Device, mechanisms: Mechanisms) -> tuple[Stream, Stream, Stream]:
    """The streams for H2D, compute and D2H; some layouts share one."""
    kind = StreamKind(mechanisms.stream_kind)
    made: dict[str, Stream] = {}
    for name in STREAM_LAYOUTS[mechanisms.streams]:
        if name not in made:
            made[name] = device.stream(name, StreamKind.DEFAULT if name == "default" else kind)
    h2d, compute, d2h = (made[name] for name in STREAM_LAYOUTS[mechanisms.streams])
    return h2d, compute, d2h
