"""Continuous batching: which requests get rows in the next batch.

Decode first: every running request past its prompt gets one token row. What is left of
the token budget goes to prompts, in chunks; new requests join when a row and enough KV
blocks are free. Rows stand in the order in which requests joined, so they move up when
one leaves.

What this module does not know: devices, streams, slots.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.identity import Identity
from engine.kv import BlockPool, blocks_for
from engine.lengths import bound_rows
from engine.mechanisms import Mechanisms
from engine.request import Request, Row
from engine.stale_rows import StaleRows
from engine.static_batching import is_closed, is_over, padding_rows
from engine.tokenizer import PLACEHOLDER
from engine.workload import Workload, WorkloadError

MOST_HELD = 256
"""How many requests may be known that wait for another's end."""


@dataclass(slots=True)
class Scheduler:
    """Waiting and running requests. `ring_rows` is the size of the carry ring."""

    workload: Workload
    mechanisms: Mechanisms
    source: Iterator[Request]
    pool: BlockPool
    ring_rows: int
    waiting: deque[Request] = field(default_factory=deque)
    running: list[Request] = field(default_factory=list)
    all_requests: list[Request] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    held: list[Request] = field(default_factory=list)
    exhausted: bool = False
    padding_rows: int = 0
    identity: Identity = field(init=False)
    stale: StaleRows = field(init=False)

    def __post_init__(self) -> None:
        self.identity = Identity(self.mechanisms.result_key)
        self.stale = StaleRows(self.mechanisms.row_invalidate, self.pool.block_size)

    def ready(self, step: int) -> bool:
        """True when `schedule` would find something to do."""
        if any(self._has_row(request, step) for request in self.running):
            return True
        self._fill_waiting()
        live = sum(request.wants_rows for request in self.running)
        return bool(self.waiting) and self._fits(self.waiting[0], step, live)

    @property
    def done(self) -> bool:
        """True when no token is left to schedule for any request, known or to come."""
        self._fill_waiting()
        if self.waiting or self.held:
            return False
        return not any(request.wants_rows for request in self.running)

    def schedule(self, step: int) -> list[Row]:
        """The rows of batch `step`; the requests' scheduled lengths move on."""
        rows = self._padding() if self.static else []
        budget = self.workload.max_batched_tokens - len(rows)
        decoding, in_prefill = 0, []
        for request in self.running:
            if request.finished:
                continue
            if request.in_prefill:
                in_prefill.append(request)
            elif request.scheduled < request.row_limit:
                decoding += 1
                known = len(request.tokens) >= request.scheduled
                if budget and (known or request.last_step == step - 1):
                    rows.append(self._decode_row(request, len(rows), step, known))
                    budget -= 1
        in_prefill += self._admit(step, decoding + len(in_prefill))
        for request in in_prefill:
            if budget:
                rows.append(self._prefill_row(request, budget, len(rows), step))
                budget -= rows[-1].count
        rows += self.stale.rows(step, len(rows), min(budget, self.workload.batch - len(rows)))
        if self.mechanisms.metadata == "shared":
            self.rows[:] = rows
        else:
            self.rows = rows
        return self.rows

    def retire(self) -> None:
        """Drop requests that have ended, and free their KV once no batch can touch it."""
        if self.static and not is_over(self.running):
            return
        left = [r for r in self.running if r.finished and not r.in_flight]
        for request in left:
            self.stale.leave(request)
            self.pool.release(request.id, request.blocks)
        if left:
            self.running = [r for r in self.running if not r.finished or r.in_flight]

    @property
    def static(self) -> bool:
        """True when a batch takes no new requests until all of its own have ended."""
        return self.mechanisms.batching == "static"

    def ring_place(self, step: int, row: int) -> int:
        """Where in the carry ring batch `step` leaves the token of row number `row`."""
        return (step * self.workload.batch + row) % self.ring_rows

    def _has_row(self, request: Request, step: int) -> bool:
        """A decode row needs its input token: known to the host, or carried from last step."""
        known = len(request.tokens) >= request.scheduled or request.last_step == step - 1
        return request.wants_rows and (request.in_prefill or known)

    def _padding(self) -> list[Row]:
        """Static batching: the rows of ended requests, which stay and are computed."""
        rows = padding_rows(self.running)
        self.padding_rows += len(rows)
        return rows

    def _prefill_row(self, request: Request, budget: int, number: int, step: int) -> Row:
        """Row `number` of batch `step`: the next part of a prompt, at most `budget` tokens."""
        start, output = request.prefilled, request.scheduled
        stop = min(start + budget, len(request.prompt))
        samples = stop == len(request.prompt)
        carry = self._leaked_carry(request, step)
        request.prefilled = stop
        request.in_prefill = not samples
        request.scheduled += samples
        request.in_flight += 1
        request.last_step, request.last_row = step, number
        token_ids = request.prompt[start:stop]
        return Row(request, start, stop - start, samples, token_ids, carry, output)

    def _decode_row(self, request: Request, number: int, step: int, known: bool) -> Row:
        """Row `number` of batch `step`: the token that a request sampled last.

        Where the host does not know it yet, something stands in for it, and `carry` says
        where in the ring it lies.
        """
        output = request.scheduled
        if known:
            token, carry = request.tokens[output - 1], -1
        else:
            token, carry = self._placeholder(request), self._carry_place(request, number)
        request.scheduled = output + 1
        request.in_flight += 1
        request.last_step, request.last_row = step, number
        return Row(request, len(request.prompt) + output - 1, 1, True, [token], carry, output)

    def _placeholder(self, request: Request) -> int:
        """What stands in for the unknown token; stale is the last one the host has seen."""
        if self.mechanisms.carry == "add-stale" and request.tokens:
            return request.tokens[-1]
        return PLACEHOLDER

    def _carry_place(self, request: Request, number: int) -> int:
        """Where the request's last token lies; `number` is its row in the new batch."""
        if self.mechanisms.carry == "none":
            return -1
        row = number if self.mechanisms.carry_key == "row" else request.last_row
        return self.ring_place(request.last_step, row)

    def _leaked_carry(self, request: Request, step: int) -> int:
        leaked = self.mechanisms.carry_partial_prefill == "leaked"
        if leaked and request.prefilled and request.last_step == step - 1:
            return self.ring_place(request.last_step, request.last_row)
        return -1

    def _admit(self, step: int, live: int) -> list[Request]:
        """Those that join now; `live` of the running ones have tokens left to schedule."""
        self._fill_waiting()
        joined: list[Request] = []
        while self.waiting and self._fits(self.waiting[0], step, live + len(joined)):
            request = self.waiting.popleft()
            if request.admitted_step < 0:
                request.admitted_step = step
            self.pool.admit(request.id, self._blocks(request))
            self.running.append(request)
            self.identity.join(request)
            joined.append(request)
            self._fill_waiting()
        return joined

    def _fits(self, request: Request, step: int, live: int) -> bool:
        """A request joins when it has arrived (or nothing else is left to do) and has room."""
        if request.arrival_step > step and self.running:
            return False
        if self.static and is_closed(self.running):
            return False
        if live >= self.workload.batch:
            return False
        return self._blocks(request) <= len(self.pool.free) - self.pool.promised

    def _blocks(self, request: Request) -> int:
        return blocks_for(len(request.prompt) + request.row_limit, self.pool.block_size)

    def _fill_waiting(self) -> None:
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
        if self._blocks(request) > self.pool.size:
            raise WorkloadError(
                f"request {request.id} needs {self._blocks(request)} KV blocks, with those of its "
                f"late rows, and the pool has {self.pool.size}: enlarge kv_blocks"
            )
        self.all_requests.append(request)
