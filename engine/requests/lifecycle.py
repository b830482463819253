"""The life of a request: it waits, joins, may be cancelled at any moment, ends, and gives back.

A request that has ended may still have rows in flight. Its blocks go back when the last batch
that touches them is done, exactly once: the host knows that when no row of it is in flight.
`kv_release`, `free_on` and `cancel` give them back at another moment, or twice.

What this module does not do: choose rows (`engine.scheduler`), make room (`engine.kv.preemption`).
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.batch import Batch
from engine.kv.pool import blocks_for
from engine.kv.swap import Swapper
from engine.mechanisms.table import Mechanisms
from engine.requests.blocks import RequestBlocks
from engine.requests.identity import Identity
from engine.requests.lengths import bound_rows
from engine.requests.request import Request
from engine.stale_rows import StaleRows
from engine.static_batching import is_closed, is_over
from engine.workloads.workload import Workload, WorkloadError

MOST_HELD = 256
"""How many requests may be known that wait for another's end."""


@dataclass(slots=True)
class Lifecycle:
    """Held, waiting, running and leaving requests. `held` ones come when another has ended;
    `leaving` ones were preempted, and hold blocks until their last batch is done."""

    workload: Workload
    mechanisms: Mechanisms
    source: Iterator[Request]
    blocks: RequestBlocks
    identity: Identity
    stale: StaleRows
    swapper: Swapper | None = None
    waiting: deque[Request] = field(default_factory=deque)
    running: list[Request] = field(default_factory=list)
    held: list[Request] = field(default_factory=list)
    leaving: list[Request] = field(default_factory=list)
    all_requests: list[Request] = field(default_factory=list)
    exhausted: bool = False

    @property
    def on_demand(self) -> bool:
        """True when requests reserve blocks as they grow, not all at once."""
        return self.workload.admission == "on-demand"

    @property
    def static(self) -> bool:
        """True when a batch takes no new requests until all of its own have ended."""
        return self.mechanisms.batching == "static"

    @property
    def runs_to_cap(self) -> bool:
        """True when the rows of a request whose text has ended go on to its longest length."""
        return self.mechanisms.eos_policy == "cap"

    # ------------------------------------------------------------------ joining

    def admit(self, step: int, live: int) -> list[Request]:
        """Those that join now; `live` of the running ones have tokens left to schedule."""
        self.fill_waiting()
        joined: list[Request] = []
        while self.waiting and self.fits(self.waiting[0], step, live + len(joined)):
            request = self.waiting.popleft()
            if request.admitted_step < 0:
                request.admitted_step = step
            reserved = self._first_blocks(request)
            self.blocks.pool.admit(request.id, reserved)
            request.capacity = reserved * self.blocks.pool.block_size
            request.stored = request.prefilled
            self.blocks.ledger.planned(self._headroom())
            self.running.append(request)
            self.identity.join(request)
            joined.append(request)
            self.fill_waiting()
        return joined

    def fits(self, request: Request, step: int, live: int) -> bool:
        """A request joins when it has arrived (or nothing else is left to do) and has room."""
        if request.arrival_step > step and self.running:
            return False
        if self.static and is_closed(self.running):
            return False
        if live >= self.workload.batch or request.in_flight or request.blocks:
            return False  # blocks: it was preempted, and its last batch is not done
        spare = self._headroom() if self.mechanisms.reserve == "counts-in-flight" else 0
        return self._first_blocks(request) + spare <= self.blocks.pool.available

    def fill_waiting(self) -> None:
        """Keep one request waiting; those that come after another's end are held till then."""
        for held in [r for r in self.held if r.after is None or r.after.finished]:
            self.held.remove(held)
            self.waiting.append(held)
        while not self.waiting and not self.exhausted and len(self.held) < MOST_HELD:
            request = next(self.source, None)
            if request is None:
                self.exhausted = True
                return
            self._known(request)
            if request.after is None or request.after.finished:
                self.waiting.append(request)
            else:
                self.held.append(request)

    def _known(self, request: Request) -> None:
        bound_rows(request, self.mechanisms)
        needed, size = self._most_blocks(request), self.blocks.pool.size
        if needed > size:
            raise WorkloadError(
                f"request {request.id} needs {needed} KV blocks, with those of its late rows, and "
                f"the pool has {size}: enlarge kv_blocks"
            )
        self.all_requests.append(request)

    def _most_blocks(self, request: Request) -> int:
        return blocks_for(len(request.prompt) + request.row_limit, self.blocks.pool.block_size)

    def _first_blocks(self, request: Request) -> int:
        """What a request reserves when it joins: all it can need, or its context and one token."""
        if self.on_demand:
            return blocks_for(len(request.context) + 1, self.blocks.pool.block_size)
        return self._most_blocks(request)

    def _headroom(self) -> int:
        """Blocks that the batches in flight may yet ask for, where nobody reserves ahead."""
        if not self.on_demand or not self.running:
            return 0
        tokens = self.mechanisms.depth * self.workload.max_batched_tokens
        return blocks_for(tokens, self.blocks.pool.block_size)

    # ------------------------------------------------------------------ leaving

    def cancel_due(self, step: int) -> None:
        """The clients' cancels at this step: no row is scheduled any more, no result accepted."""
        self.fill_waiting()
        for request in (*self.running, *self.waiting):
            if 0 < request.cancel_step <= step and not request.finished:
                self._cancel(request)
        while any(request.finished for request in self.waiting):
            self.waiting = deque(r for r in self.waiting if not r.finished)
            self.fill_waiting()
        self.retire()

    def _cancel(self, request: Request) -> None:
        """Its rows in flight become zombies; its blocks go back as those of any ended request."""
        request.cancelled = request.finished = True
        if self.mechanisms.cancel == "twice" and request in self.running:
            self.leaving.append(request)
        if self.swapper is not None and request in self.waiting:
            self.swapper.forget(request)

    def fail(self, request: Request) -> None:
        """A failure ends it; its rows in flight become zombies."""
        request.failed = request.finished = True
        if request in self.waiting:  # it was preempted
            self.waiting.remove(request)
            if self.swapper is not None:
                self.swapper.forget(request)

    def end_stranded(self, step: int) -> None:
        """Where rows run to their cap: end the requests whose text has ended and that had no row
        in the last step. What they sampled is thrown away, so the next row would lack its input
        for ever; and nobody wants it."""
        stranded = [
            r for r in self.running if r.ended and not r.in_flight and r.last_step < step - 1
        ]
        for request in stranded:
            request.finished = True
        if stranded:
            self.retire()

    def retire(self) -> None:
        """Drop requests that have ended, and free their KV once no batch can touch it."""
        stays = self.static and not is_over(self.running)
        left = [r for r in self.running if r.finished and self._may_release(r) and not stays]
        if left:
            self.running[:] = [r for r in self.running if r not in left]
        if self.leaving:
            left += [r for r in self.leaving if self._may_release(r)]
            self.leaving = [r for r in self.leaving if not self._may_release(r)]
        for request in left:
            self._release(request)

    def free_scheduled(self, batch: Batch) -> None:
        """Count requests as done when their last token is scheduled: too early."""
        if self.mechanisms.free_on != "scheduled":
            return
        for row in batch.launched:
            request = row.request
            if request.output >= request.row_limit and request in self.running:
                self.running.remove(request)
                self.blocks.ledger.release(request, list(request.blocks))
                self.blocks.ledger.blocks(batch, row)

    def close(self, cut: bool) -> list[Request]:
        """The run is over: give back what is still held; returns the requests that had a row."""
        for request in (*self.running, *self.leaving):
            if cut or (request.finished and not request.in_flight):
                self.blocks.release(request)
        return [r for r in self.all_requests if r.last_step >= 0 or r.cancelled]

    def _may_release(self, request: Request) -> bool:
        at_once = self.mechanisms.kv_release == "at-once"
        at_once |= request.cancelled and self.mechanisms.cancel == "at-once"
        return not request.in_flight or at_once

    def _release(self, request: Request) -> None:
        if request.finished:
            self.stale.leave(request)
        if request.swap_done is not None and self.mechanisms.kv_release == "deferred":
            request.swap_done.synchronize("wait swap-out")
        self.blocks.release(request)
