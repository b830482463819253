"""Continuous batching: which requests get rows in the next batch.

Decode first: every running request past its prompt gets one token row. What is left of
the token budget goes to prompts, in chunks; new requests join when a row and enough KV
blocks are free. Rows stand in the order in which requests joined, so they move up when
one leaves.

What this module does not know: devices, streams, slots; who joins and leaves
(`engine.requests.lifecycle`), who has to make room (`engine.kv.preemption`).
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.kv.pool import BlockPool
from engine.kv.preemption import Preemption
from engine.ledger import Ledger
from engine.mechanisms.table import Mechanisms
from engine.model.tokenizer import PLACEHOLDER
from engine.requests.blocks import RequestBlocks
from engine.requests.identity import Identity
from engine.requests.lifecycle import Lifecycle
from engine.requests.request import Request, Row
from engine.stale_rows import StaleRows
from engine.static_batching import padding_rows
from engine.workloads.workload import Workload


@dataclass(slots=True)
class Scheduler:
    """Waiting and running requests. `ring_rows` is the size of the carry ring, `ring_before`
    the place of its first token of the batch before, `drafts` how many a decode row has at most."""

    workload: Workload
    mechanisms: Mechanisms
    source: Iterator[Request]
    pool: BlockPool
    ring_rows: int
    drafts: int = 0
    rows: list[Row] = field(default_factory=list)
    padding_rows: int = 0
    ring_before: int = 0
    life: Lifecycle = field(init=False)
    blocks: RequestBlocks = field(init=False)
    preemption: Preemption = field(init=False)

    def __post_init__(self) -> None:
        ledger = Ledger(self.pool)
        self.blocks = RequestBlocks(self.workload, self.mechanisms, self.pool, ledger)
        identity = Identity(self.mechanisms.result_key)
        stale = StaleRows(self.mechanisms.row_invalidate, self.pool.block_size)
        self.life = Lifecycle(
            self.workload, self.mechanisms, self.source, self.blocks, identity, stale
        )
        self.preemption = Preemption(self.life)

    @property
    def waiting(self) -> deque[Request]:
        """Requests that have not joined, or were preempted, in the order in which they join."""
        return self.life.waiting

    @property
    def running(self) -> list[Request]:
        """Requests that have joined, in the order in which they did."""
        return self.life.running

    @property
    def all_requests(self) -> list[Request]:
        """Every request that has been known so far."""
        return self.life.all_requests

    @property
    def identity(self) -> Identity:
        """Whose result is it?"""
        return self.life.identity

    @property
    def stale(self) -> StaleRows:
        """Rows of ended requests that were not cleared."""
        return self.life.stale

    def ready(self, step: int) -> bool:
        """True when `schedule` would find something to do."""
        self._prepare(step)
        if any(self._has_row(request, step) for request in self.running):
            return True
        self.life.fill_waiting()
        live = sum(request.is_live for request in self.running)
        return bool(self.waiting) and self.life.fits(self.waiting[0], step, live)

    def _prepare(self, step: int) -> None:
        """What comes before the rows: cancels, blocks behind the window, room to grow."""
        if self.life.runs_to_cap:
            self.life.end_stranded(step)
        if self.workload.has_cancels:
            self.life.cancel_due(step)
        if self.workload.window:
            for request in self.running:
                self.blocks.slide(request)
        if self.life.on_demand:
            self.preemption.make_room()

    @property
    def done(self) -> bool:
        """True when no token is left to schedule for any request, known or to come."""
        self.life.fill_waiting()
        if self.waiting or self.life.held:
            return False
        return not any(request.is_live for request in self.running)

    def schedule(self, step: int) -> list[Row]:
        """The rows of batch `step`; the requests' scheduled lengths move on."""
        rows = self._padding() if self.static else []
        self.ring_before = self.ring_place(step - 1, 0)
        live, in_prefill, budget = self._decode(rows, step)
        in_prefill += self.life.admit(step, live)
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

    def _decode(self, rows: list[Row], step: int) -> tuple[int, list[Request], int]:
        """Add a row for each running request that can take one: the token sampled before it, and
        its drafts. Returns how many of the running requests are live, those of them in prefill,
        and the token rows that are left. The hottest loop there is: what is rare stands outside.

        A token that the host does not know yet has a stand-in, and lies at `carry` in the ring.
        """
        over, in_prefill, number, before = 0, [], len(rows), step - 1
        most, m, drafting = self.workload.max_batched_tokens, self.mechanisms, self.drafts > 0
        as_usual = m.carry_key == "request" and m.carry not in ("add-stale", "none")
        ring_before, ring_rows = self.ring_before, self.ring_rows
        for request in self.running:
            if request.finished:
                over += 1
                continue
            if request.in_prefill:
                in_prefill.append(request)
                continue
            output = request.scheduled - request.called_off
            if output >= request.row_limit:
                over += output - request.drafted >= request.row_limit
                continue
            if number >= most or request.stalled:
                continue
            tokens = request.tokens
            if len(tokens) >= output:
                token, carry = tokens[output - 1], -1
            elif request.last_step != before:
                continue
            elif as_usual:
                token, carry = PLACEHOLDER, (ring_before + request.last_row) % ring_rows
            else:
                token, carry = self._stand_in(request, number)
            request.scheduled += 1
            request.in_flight += 1
            request.last_step, request.last_row = step, number
            start = len(request.prompt) + output - 1
            rows.append(Row(request, start, 1, True, [token], carry, output))
            number += 1
            if drafting:
                most -= self._add_drafts(rows[-1], most - number)
        return len(self.running) - over, in_prefill, most - number

    def retire(self) -> None:
        """A batch is finished: who has ended leaves, and gives back what no batch can touch."""
        self.life.retire()

    @property
    def static(self) -> bool:
        """True when a batch takes no new requests until all of its own have ended."""
        return self.life.static

    def ring_place(self, step: int, row: int) -> int:
        """Where in the carry ring batch `step` leaves the token of row number `row`."""
        return (step * self.workload.batch + row) % self.ring_rows

    def _has_row(self, request: Request, step: int) -> bool:
        """A decode row needs its input token: known to the host, or carried from last step."""
        known = len(request.tokens) >= request.output or request.last_step == step - 1
        return request.wants_rows and (request.in_prefill or (known and not request.stalled))

    def _padding(self) -> list[Row]:
        """Static batching: the rows of ended requests, which stay and are computed."""
        rows = padding_rows(self.running)
        self.padding_rows += len(rows)
        return rows

    def _prefill_row(self, request: Request, budget: int, number: int, step: int) -> Row:
        """Row `number` of batch `step`: the next part of a prompt, at most `budget` tokens."""
        if self.workload.prefix_cache and not request.prefilled:
            self.blocks.reuse(request)
        start, output = request.prefilled, request.output
        stop = min(start + budget, len(request.context))
        samples = stop == len(request.context)
        carry = self._leaked_carry(request, step)
        request.prefilled = stop
        request.in_prefill = not samples
        request.scheduled += samples
        request.in_flight += 1
        request.last_step, request.last_row = step, number
        token_ids = request.context[start:stop]
        row = Row(request, start, stop - start, samples, token_ids, carry, output)
        if self.workload.prefix_cache:
            self.blocks.scheduled(row)
        return row

    def _add_drafts(self, row: Row, most: int) -> int:
        """Put up to `most` drafts behind the token of a decode row, and return how many: none where
        the host has to know them and the device has lost them."""
        request = row.request
        lost = request.rules.steers and request.seat < 0
        left, room = request.row_limit - request.output, request.capacity - row.start - 1
        drafts = 0 if lost else min(self.drafts, most, left, room)
        row.count += drafts
        row.drafts = drafts
        row.token_ids += [PLACEHOLDER] * drafts
        request.scheduled += drafts
        request.drafted += drafts
        return drafts

    def _stand_in(self, request: Request, number: int) -> tuple[int, int]:
        """What stands in for the unknown token (stale is the last one the host has seen), and
        where in the ring it lies; `number` is the request's row in the new batch."""
        m, token = self.mechanisms, PLACEHOLDER
        if m.carry == "none":
            return token, -1
        if m.carry == "add-stale" and request.tokens:
            token = request.tokens[-1]
        row = number if m.carry_key == "row" else request.last_row
        return token, (self.ring_before + row) % self.ring_rows

    def _leaked_carry(self, request: Request, step: int) -> int:
        leaked = self.mechanisms.carry_partial_prefill == "leaked"
        if leaked and request.prefilled and request.last_step == step - 1:
            return self.ring_place(request.last_step, request.last_row)
        return -1
