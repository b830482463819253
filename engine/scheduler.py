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
        return bool(self.waiting) and self._fits(self.waiting[0], step)

    @property
    def done(self) -> bool:
        """True when no token is left to schedule for any request, known or to come."""
        self._fill_waiting()
        return not self.waiting and not any(request.wants_rows for request in self.running)

    def schedule(self, step: int) -> list[Row]:
        """The rows of batch `step`; the requests' scheduled lengths move on."""
        budget = self.workload.max_batched_tokens
        chosen: list[tuple[Request, int]] = []
        for request in self.running:
            if not request.in_prefill and budget and self._has_row(request, step):
                chosen.append((request, 1))
                budget -= 1
        self._admit(step)
        for request in self.running:
            if request.in_prefill and budget and not request.finished:
                count = min(budget, len(request.prompt) - request.prefilled)
                chosen.append((request, count))
                budget -= count
        rows = [
            self._row(request, count, step, number)
            for number, (request, count) in enumerate(chosen)
        ]
        if self.mechanisms.metadata == "shared":
            self.rows[:] = rows
        else:
            self.rows = rows
        for number, row in enumerate(rows):
            row.request.schedule(row, step, number)
        return self.rows

    def retire(self) -> None:
        """Drop requests that have ended, and free their KV once no batch can touch it."""
        if not any(request.finished for request in self.running):
            return
        for request in self.running:
            if request.finished and not request.in_flight:
                self.pool.release(request.id, request.blocks)
        self.running = [r for r in self.running if not r.finished or r.in_flight]

    def ring_place(self, step: int, row: int) -> int:
        """Where in the carry ring batch `step` leaves the token of row number `row`."""
        return (step * self.workload.batch + row) % self.ring_rows

    def _has_row(self, request: Request, step: int) -> bool:
        """A decode row needs its input token: known to the host, or carried from last step."""
        if request.finished:
            return False
        if request.in_prefill:
            return True
        known = len(request.tokens) >= request.scheduled or request.last_step == step - 1
        return known and request.scheduled < request.max_new_tokens

    def _row(self, request: Request, count: int, step: int, number: int) -> Row:
        if request.in_prefill:
            start = request.prefilled
            token_ids = request.prompt[start : start + count]
            carry = self._leaked_carry(request, step)
            samples = start + count == len(request.prompt)
            return Row(request, start, count, samples, token_ids, carry, request.scheduled)
        output = request.scheduled
        start = len(request.prompt) + output - 1
        if len(request.tokens) >= output:
            return Row(request, start, 1, True, [request.tokens[output - 1]], -1, output)
        carry = self._carry_place(request, number)
        return Row(request, start, 1, True, [self._placeholder(request)], carry, output)

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

    def _admit(self, step: int) -> None:
        self._fill_waiting()
        while self.waiting and self._fits(self.waiting[0], step):
            request = self.waiting.popleft()
            self.pool.admit(request.id, self._blocks(request))
            self.running.append(request)
            self._fill_waiting()

    def _fits(self, request: Request, step: int) -> bool:
        """A request joins when it has arrived (or nothing else is left to do) and has room."""
        if request.arrival_step > step and self.running:
            return False
        live = sum(running.wants_rows for running in self.running)
        free = len(self.pool.free) - self.pool.promised
        return live < self.workload.batch and self._blocks(request) <= free

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
