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

from engine.kv import BlockPool, blocks_for
from engine.mechanisms import Mechanisms
from engine.request import Request, Row
from engine.tokenizer import PLACEHOLDER
from engine.workload import Workload


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
    exhausted: bool = False

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
        return not self.waiting and not any(request.wants_rows for request in self.running)

    def schedule(self, step: int) -> list[Row]:
        """The rows of batch `step`; the requests' scheduled lengths move on."""
        rows: list[Row] = []
        budget = self.workload.max_batched_tokens
        live = 0  # requests that have tokens left to schedule
        for request in self.running:
            if request.finished:
                continue
            if request.in_prefill:
                live += 1
            elif request.scheduled < request.max_new_tokens:
                live += 1
                if budget and self._has_token(request, step):
                    rows.append(self._decode_row(request, len(rows), step))
                    budget -= 1
        self._admit(step, live)
        for request in self.running:
            if budget and request.in_prefill and not request.finished:
                count = min(budget, len(request.prompt) - request.prefilled)
                rows.append(self._prefill_row(request, count, len(rows), step))
                budget -= count
        if self.mechanisms.metadata == "shared":
            self.rows[:] = rows
        else:
            self.rows = rows
        return self.rows

    def retire(self) -> None:
        """Drop requests that have ended, and free their KV once no batch can touch it."""
        left = [r for r in self.running if r.finished and not r.in_flight]
        for request in left:
            self.pool.release(request.id, request.blocks)
        if left:
            self.running = [r for r in self.running if not r.finished or r.in_flight]

    def ring_place(self, step: int, row: int) -> int:
        """Where in the carry ring batch `step` leaves the token of row number `row`."""
        return (step * self.workload.batch + row) % self.ring_rows

    def _has_row(self, request: Request, step: int) -> bool:
        return request.wants_rows and (request.in_prefill or self._has_token(request, step))

    def _has_token(self, request: Request, step: int) -> bool:
        """A decode row needs its input token: known to the host, or carried from last step."""
        return len(request.tokens) >= request.scheduled or request.last_step == step - 1

    def _prefill_row(self, request: Request, count: int, number: int, step: int) -> Row:
        """Row `number` of batch `step`: the next `count` tokens of a prompt."""
        start, output = request.prefilled, request.scheduled
        stop = start + count
        carry = self._leaked_carry(request, step)
        samples = stop == len(request.prompt)
        request.prefilled = stop
        request.in_prefill = not samples
        request.scheduled += samples
        request.book(step, number)
        return Row(request, start, count, samples, request.prompt[start:stop], carry, output)

    def _decode_row(self, request: Request, number: int, step: int) -> Row:
        """Row `number` of batch `step`: the token that a request sampled last."""
        output = request.scheduled
        if len(request.tokens) >= output:
            token, carry = request.tokens[output - 1], -1
        else:
            token, carry = self._carried(request, number)
        request.scheduled += 1
        request.book(step, number)
        start = len(request.prompt) + output - 1
        return Row(request, start, 1, True, [token], carry, output)

    def _carried(self, request: Request, number: int) -> tuple[int, int]:
        """Of a token that only the device knows yet: what stands in for it, and its ring place.

        The stale placeholder is the last token that the host has seen. `number` is the
        request's row in the new batch.
        """
        mechanisms = self.mechanisms
        stale = mechanisms.carry == "add-stale" and request.tokens
        token = request.tokens[-1] if stale else PLACEHOLDER
        if mechanisms.carry == "none":
            return token, -1
        row = number if mechanisms.carry_key == "row" else request.last_row
        return token, self.ring_place(request.last_step, row)

    def _leaked_carry(self, request: Request, step: int) -> int:
        leaked = self.mechanisms.carry_partial_prefill == "leaked"
        if leaked and request.prefilled and request.last_step == step - 1:
            return self.ring_place(request.last_step, request.last_row)
        return -1

    def _admit(self, step: int, live: int) -> None:
        """Let requests join as long as there is room; `live` of those running want rows."""
        self._fill_waiting()
        while self.waiting and self._fits(self.waiting[0], step, live):
            live += 1
            request = self.waiting.popleft()
            self.pool.admit(request.id, self._blocks(request))
            self.running.append(request)
            self._fill_waiting()

    def _fits(self, request: Request, step: int, live: int) -> bool:
        """A request joins when it has arrived (or nothing else is left to do) and has room."""
        if request.arrival_step > step and self.running:
            return False
        if live >= self.workload.batch:
            return False
        return self._blocks(request) <= len(self.pool.free) - self.pool.promised

    def _blocks(self, request: Request) -> int:
        return blocks_for(len(request.prompt) + request.max_new_tokens, self.pool.block_size)

    def _fill_waiting(self) -> None:
        if not self.waiting and not self.exhausted:
            request = next(self.source, None)
            if request is None:
                self.exhausted = True
            else:
                self.waiting.append(request)
                self.all_requests.append(request)
