"""Steering: from what the host knows of a request to what the sampling kernel reads.

A grammar says which token may come next, penalties look at the tokens so far: both need the
newest token, which in an asynchronous loop is still on the device when the next batch is
launched. The loop therefore launches the forward pass at once and holds its sampling back until
the host has that token. Three tensors carry the host's answer (S sampled rows, V token ids):
`mask` [S, V] which ids may be chosen · `history` [S, V] how often the output holds each ·
`penalties` [S, 3] presence, frequency, repetition. S is the number of request rows; with drafts
each has a sampled row for its token and for every draft, and the grammar is followed along the
drafts (`rollback_state`: and set back, for only accepted tokens count).

What this module does not do: order the device's work (`engine.loop`), know JSON
(`engine.requests.grammar`), change logits (`engine.model.sampling`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import torch

from engine.batch import Batch
from engine.device.buffer import Buffer
from engine.ledger import Ledger
from engine.mechanisms.table import Mechanisms
from engine.model.tokenizer import EOS, PLACEHOLDER, VOCAB
from engine.requests.grammar import State, advance, may_end, next_bytes
from engine.requests.request import Request, Row
from engine.said import Said

STEERING = ("mask", "history", "penalties")
"""The tensors in the order in which they are copied."""


@dataclass(slots=True)
class Steering:
    """The tensors' values for the batch being launched, and the rows of the one before.

    `needed` is False where no request of the workload is steered. `computes` is False in a
    timing-only run: then there are no tokens to look at.
    """

    mechanisms: Mechanisms
    ledger: Ledger
    needed: bool
    computes: bool
    samples: int = 1
    """sampled rows of a request row"""
    values: dict[str, torch.Tensor | None] = field(default_factory=lambda: dict.fromkeys(STEERING))
    previous: tuple[Row, ...] = ()
    astray: dict[str, State] = field(default_factory=dict)
    """states that were not set back after the drafts, by request"""

    def steers(self, batch: Batch) -> bool:
        """True when a row of the batch samples under a grammar or penalties."""
        return self.needed and any(
            row.samples and row.request.rules.steers for row in batch.launched
        )

    def waits(self, batch: Batch) -> bool:
        """True when the batch's sampling needs the tokens of the batches in flight."""
        rules = [row.request.rules for row in batch.launched if row.samples]
        grammar = self.mechanisms.grammar != "stale" and any(rule.grammar for rule in rules)
        current = self.mechanisms.penalties == "current"
        return grammar or (current and any(rule.penalises for rule in rules))

    def read_grammar(self, batch: Batch) -> None:
        """Which tokens each row may choose, as the host knows it at this moment."""
        shifted = self.mechanisms.grammar == "row-shifted"
        rows: Sequence[Row | None] = self.previous if shifted else batch.launched
        self.previous = batch.launched
        if self.computes:
            count = len(batch.launched)
            masks = [_mask(state) for row in rows[:count] for state in self._states(row)]
            missing = count * self.samples - len(masks)
            self.values["mask"] = torch.stack(masks + [_mask(None)] * missing)

    def _states(self, row: Row | None) -> list[State | None]:
        """Where the JSON text stands before each token of a row that is sampled."""
        if row is None:
            return [None] * self.samples
        request = row.request
        state = self.astray.get(request.id, request.json_state)
        states = [state]
        for draft in request.next_drafts[: row.drafts]:
            state = _after(state, draft)
            states.append(state)
        reached = [state for state in states if state is not None]
        if self.mechanisms.rollback_state == "kept" and row.drafts and reached:
            self.astray[request.id] = reached[-1]
        return states + [None] * (self.samples - len(states))

    def read_history(self, batch: Batch) -> None:
        """The tokens of each row's output so far. Those that the host does not know yet are
        there as placeholders: a history taken too early ends in them."""
        if not self.computes:
            return
        rows = [(row, drafts) for row in batch.launched for drafts in range(self.samples)]
        self.values["history"] = torch.stack([_history(row, drafts) for row, drafts in rows])
        strengths = [row.request.rules.penalties for row, _ in rows]
        self.values["penalties"] = torch.tensor(strengths, dtype=torch.float64)

    def written(
        self, source: dict[str, Buffer], rows: int
    ) -> list[tuple[Buffer, int, torch.Tensor | None]]:
        """What the host writes into a slot's buffers: (buffer, rows, values)."""
        return [(source[label], rows, self.values[label]) for label in STEERING]

    def committed(self, batch: Batch) -> None:
        """Follow the tokens just committed; a token against the grammar breaks an invariant."""
        for request in [row.request for row in batch.launched if row.request.rules.grammar]:
            for token in request.tokens[request.json_read :] if self.computes else ():
                self._follow(request, token)

    def _follow(self, request: Request, token: int) -> None:
        request.json_read += 1
        state = request.json_state
        if request.id in self.astray:
            lost = self.astray[request.id]
            self.astray[request.id] = _after(lost, token) or lost
        if state is None or (token == EOS and may_end(state)):
            return
        request.json_state = advance(state, token)
        if request.json_state is None:
            said = Said("broken_grammar", request=request.id, byte=request.json_read)
            self.ledger.note(said, request.id)


@lru_cache(maxsize=1 << 12)
def _mask(state: State | None) -> torch.Tensor:
    """[V] True for what may come next: the grammar's bytes, EOS where it may end. None: all."""
    if state is None:
        return torch.ones(VOCAB, dtype=torch.bool)
    mask = torch.zeros(VOCAB, dtype=torch.bool)
    mask[list(next_bytes(state))] = True
    mask[EOS] = may_end(state)
    return mask


def _after(state: State | None, token: int) -> State | None:
    """The state after a token (-1: none), None where it does not fit."""
    return advance(state, token) if state is not None and token >= 0 else None


def _history(row: Row, drafts: int) -> torch.Tensor:
    """[V] how often each token stands in the output before the one behind so many drafts."""
    request = row.request
    if not request.rules.penalises:
        return torch.zeros(VOCAB, dtype=torch.int64)
    unknown = request.output - 1 - row.drafts - len(request.tokens)
    ahead = [token for token in request.next_drafts[:drafts] if token >= 0]
    tokens = request.tokens + [PLACEHOLDER] * unknown + ahead
    return torch.bincount(torch.tensor(tokens, dtype=torch.int64), minlength=VOCAB)
