"""The parts of an engine: streams, slots, scheduler, forward pass and books.

`Parts` is what the loop works with. It also settles results: it hands the sampled tokens
of a batch to the requests that had rows in it. `engine.build` puts it together.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from engine.batch import Batch
from engine.device.api import Device, Graph, Kernel, Stream
from engine.device.buffer import Buffer
from engine.device.faults import BatchError
from engine.forward import Forward
from engine.graphs import Graphs
from engine.kv.pool import BlockPool
from engine.kv.swap import Swapper
from engine.ledger import Ledger
from engine.mechanisms.table import Mechanisms
from engine.model.decoder import Model
from engine.model.tokenizer import decode
from engine.recovery import Recovery
from engine.requests.request import Request, Row
from engine.requests.steering import Steering
from engine.scheduler import Scheduler
from engine.slots import Slots
from engine.speculation import Speculation
from engine.workloads.workload import Workload

Listener = Callable[[str, str], None]
"""Called with (request id, new text) whenever committed tokens are streamed."""

Stop = Callable[[], bool]
"""Asked between steps: is the run to end before its work is done?"""


def never() -> bool:
    """Nobody asks the run to end."""
    return False


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
    steering: Steering
    recovery: Recovery
    graphs: Graphs | None = None
    listener: Listener | None = None
    speculation: Speculation | None = None
    stop: Stop = never
    counters: list[tuple[int, str, int]] = field(default_factory=list)

    @property
    def side(self) -> Stream:
        """The stream for the second of two graphs that are replayed at once."""
        return self.compute if self.graphs is None else self.graphs.side or self.compute

    @property
    def computes(self) -> bool:
        """False in a timing-only run."""
        return self.model is not None

    @property
    def swapper(self) -> Swapper | None:
        """Who copies preempted requests' blocks out and in, where the workload asks for it."""
        return self.scheduler.life.swapper

    def grow_blocks(self, batch: Batch) -> None:
        """Give every row of a batch the KV blocks its new tokens need, and a seat for drafts."""
        if self.speculation is not None:
            self.speculation.take_seats(batch)
        self.scheduler.blocks.grow(batch)
        for row in self.scheduler.stale.launched:
            block = row.request.blocks[row.start // self.pool.block_size]
            self.ledger.writes(batch, row.request, block)
        self.scheduler.life.free_scheduled(batch)
        self._count()

    @property
    def kernels_after_logits(self) -> int:
        """How many launches end a step: sample; with drafts sample, verify and draft."""
        return 1 if self.speculation is None else 3

    def kernels(self, batch: Batch) -> Sequence[Kernel | Graph]:
        """The batch's kernels in launch order, or the graphs that stand for them.

        A cold allocation comes first, where asked for.
        """
        if self.mechanisms.first_touch_alloc:
            temporary = self.device.allocate(4096 * (batch.step + 1), self.compute, "temporary")
            self.device.free(temporary)
        ring_start = self.scheduler.ring_place(batch.step, 0)
        if self.has_temporaries and not batch.graphs:
            nbytes = len(batch.launched) * torch.int64.itemsize
            batch.temporary = self.device.allocate(nbytes, self.compute, "sampled")
            batch.output = batch.temporary.as_type(torch.int64)
        if batch.graphs and self.graphs is not None:
            return self.graphs.replays(batch, ring_start)
        return self.forward.kernels(batch, ring_start)

    @property
    def has_temporaries(self) -> bool:
        """True when each batch's token ids lie in a temporary of its own; with drafts never."""
        m = self.mechanisms
        on_device = m.sampling == "device" and self.speculation is None
        return m.output_memory == "temporary" and on_device

    def warm_up(self) -> None:
        """Fill the caching allocator before the loop: a cold one would wait for the device."""
        if self.has_temporaries:
            nbytes = self.workload.batch * torch.int64.itemsize
            made = [
                self.device.allocate(nbytes, self.compute, "sampled")
                for _ in range(self.mechanisms.depth + 1)
            ]
            for buffer in made:
                self.device.free(buffer)

    def choose_graphs(self, batch: Batch) -> None:
        """Let a batch of decode rows replay graphs, where they are on. Sampling that waits for
        the host is no part of a graph, and drafts make rows of several tokens."""
        if self.graphs is not None and not batch.steered and self.speculation is None:
            self.graphs.choose(batch, self.scheduler.ring_place(batch.step, 0))

    def output(self, batch: Batch) -> Buffer:
        """The device memory from which a batch's results are copied."""
        return batch.output or self.slots.device_outputs[batch.device_slot]

    def tokens_of(self, read: list[Any], batch: Batch) -> list[int]:
        """Token ids from what the host read: the ids, or logits that the host samples from."""
        if self.speculation is not None:
            return self.speculation.tokens(read, batch)
        if self.mechanisms.sampling == "device" or not self.computes:
            return read
        seeds = torch.tensor([row.request.seed for row in batch.launched])
        positions = torch.tensor([row.output for row in batch.launched])
        logits = torch.tensor(read, dtype=torch.float64)
        tokens: list[int] = self.forward.sampler(logits, seeds, positions).tolist()
        return tokens

    def settle(self, batch: Batch, tokens: list[int]) -> None:
        """Hand a batch's tokens to its rows; rows of ended requests are skipped (zombies)."""
        if self.recovery.fault is not None:
            self.recovery.fault.check_host(batch.step)
        self.ledger.settled(batch)
        for row in batch.launched:
            row.request.in_flight -= 1
        self._hand_out(tokens, self._row_of_each_token(batch), batch.step)
        if batch.steered:
            self.steering.committed(batch)
        if self.scheduler.blocks.follows_results:
            self._note_stored(batch)
        self._count()

    def _row_of_each_token(self, batch: Batch) -> list[Row]:
        """The rows that a batch's tokens belong to, in the tokens' order."""
        rows = self.scheduler.identity.match(batch.rows)
        if self.mechanisms.zombie == "unconsumed":
            rows = [row for row in rows if not row.request.finished]
        if self.speculation is not None:
            rows = self.speculation.row_of_each_token(rows, batch)
        return rows

    def _hand_out(self, tokens: list[int], rows: list[Row], step: int) -> None:
        """Commit, discard or throw away each token, and check the lengths of its request."""
        leaked = self.mechanisms.zombie == "leaked"
        for row, token in zip(rows, tokens, strict=False):  # shared rows may be more or fewer
            request = row.request
            if not row.samples:
                continue
            if request.discard:
                request.discard -= 1
                self.ledger.wasted_rows += 1
            elif leaked or not (request.finished or request.ended):  # takes_tokens, in line: hot
                if request.called_off and self.speculation is None:
                    self.ledger.committing(row)
                request.computed += 1
                request.commit(token, step)
            else:
                self.ledger.wasted_rows += 1
                request.throw_away(row.output + row.drafts)
            if request.called_off or not (
                request.scheduled >= request.computed >= len(request.tokens)
            ):
                self.ledger.lengths(request)

    def _note_stored(self, batch: Batch) -> None:
        """The keys and values of a batch's rows are in memory, but those a failure spoilt."""
        for row in batch.launched:
            if batch.step > row.request.poisoned_step:
                self.scheduler.blocks.settled(row)

    def recover(self, batch: Batch, error: BatchError) -> None:
        """A batch failed: settle it without results, and see to its requests."""
        self.recovery.recover(batch, error)
        self._count()

    def read_accepted(self, batch: Batch) -> None:
        """The host looks at how many drafts were accepted, before the results have come."""
        read = self.device.read("read accepted", self.scratch, len(batch.launched))
        if self.speculation is not None:
            self.speculation.resolve(read, batch)

    def _count(self) -> None:
        """Note what is in flight and in use now, for the counters under the timeline."""
        now_ns = self.device.now_ns
        self.counters.append((now_ns, "tokens in flight", self.ledger.tokens_in_flight))
        self.counters.append((now_ns, "KV blocks in use", self.pool.in_use))

    def stream(self, batch: Batch) -> None:
        """Hand committed text out to whoever listens; what a later token may still turn into
        part of a stop string, or into another character, is held back."""
        early, listener = self.mechanisms.stop_string == "streamed-early", self.listener
        for row in batch.rows:
            request = row.request
            tokens = request.tokens
            if early or (tokens and tokens[-1] < 0x80 and not request.rules.stop):
                ready = len(tokens)  # the usual case, in line: hot
            else:
                ready = request.streamable()
            if listener is not None:
                new = decode(tokens[request.streamed : ready])
                if new:
                    listener(request.id, new)
            request.streamed = ready

    def close(self, cut: bool) -> list[Request]:
        """End the run: free what cut requests hold, check the books, return all requests."""
        requests = self.scheduler.life.close(cut)
        self.ledger.finished(requests, cut)
        return requests
