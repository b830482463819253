"""A request, and the rows it takes in a batch.

A request counts three lengths of output tokens that are never mixed: *scheduled* (a row
was launched for it), *computed* (its result has arrived at the host) and *committed*
(the token was accepted). scheduled >= computed >= committed at every instant. None is ever
set back: what was in flight when a request was preempted, and drafts that were rejected, are
counted as *called off*.
"""

from dataclasses import dataclass, field

import msgspec

from engine.device.api import Event
from engine.model.tokenizer import EOS, decode
from engine.requests.grammar import State
from engine.requests.rules import FREE, Rules
from engine.requests.streaming import showable, text_end


@dataclass(slots=True, eq=False)
class Request:
    """One prompt and what has become of it.

    `id` is unique in a run; `name` is what its client calls it, and `epoch` counts the requests
    of that name: the second one has the id "name#2". It arrives when `after` is over, if that is
    set. `admitted_step` is the step at which it first joined, -1 before. At most `row_limit` rows
    with a sample are scheduled. With `runs_to_cap` its last token is no end for the row: it
    runs on, and what it samples is thrown away (`ended`). `text_end` is where the text ends,
    before a stop string; None without one. `json_state` is where a JSON text stands after
    `json_read` output tokens (None: free, or no JSON any more).
    `context` is what has to be prefilled: the prompt, and after a preemption the committed
    tokens too; `prefilled` counts what of it is scheduled, `in_prefill` is True while some is
    left. `cancel_step` is the step at which the client cancels (0: never).
    """

    id: str
    prompt: list[int]
    max_new_tokens: int
    seed: int = 0
    arrival_step: int = 0
    admitted_step: int = -1
    prefilled: int = 0
    in_prefill: bool = True
    scheduled: int = 0
    computed: int = 0
    tokens: list[int] = field(default_factory=list)
    committed_at: list[int] = field(default_factory=list)
    streamed: int = 0
    finished: bool = False
    in_flight: int = 0
    blocks: list[int] = field(default_factory=list)
    block_mask: int = 0
    last_step: int = -1
    last_row: int = -1
    rules: Rules = FREE
    text_end: int | None = None
    json_state: State | None = None
    json_read: int = 0
    name: str = ""
    epoch: int = 1
    after: "Request | None" = None
    row_limit: int = 0
    runs_to_cap: bool = False
    ended: bool = False
    cancel_step: int = 0
    cancelled: bool = False
    # -- under memory pressure (engine.requests.lifecycle, engine.kv.preemption)
    context: list[int] = field(default_factory=list)
    capacity: int = 0
    """positions its blocks and its reservation hold"""
    stalled: bool = False
    """sits this step out, for want of a block"""
    called_off: int = 0
    """output tokens scheduled before a preemption and not committed, and rejected drafts"""
    discard: int = 0
    """results still to arrive that are thrown away"""
    stored: int = 0
    """positions whose keys and values the host knows to be written"""
    published: int = 0
    """blocks offered to the prefix cache"""
    keys: list[bytes] = field(default_factory=list)
    """their chained keys"""
    swapped: list[tuple[int, int]] = field(default_factory=list)
    """while swapped out: (number of the block, row in host memory)"""
    swap_done: Event | None = None
    # -- speculation (engine.speculation)
    drafted: int = 0
    """drafts in flight; each may yet be called off"""
    accepted: int = 0
    """output tokens that the device is known to have accepted"""
    seat: int = -1
    next_drafts: list[int] = field(default_factory=list)
    """the drafts that its next row has, where the host has to know"""
    # -- behind a failure (engine.recovery)
    failed: bool = False
    poisoned_step: int = -1
    """the last batch in which a row of it stands on what a failed batch never made"""

    def __post_init__(self) -> None:
        self.name = self.name or self.id
        self.row_limit = self.row_limit or self.max_new_tokens
        self.context = self.context or self.prompt

    @property
    def output(self) -> int:
        """Number of the output token to be scheduled next (at most, while drafts are in flight)."""
        return self.scheduled - self.called_off

    @property
    def next_position(self) -> int:
        """Position of the token row that is to be scheduled next."""
        return self.prefilled if self.in_prefill else len(self.prompt) + self.output - 1

    @property
    def committed(self) -> int:
        """Output tokens accepted so far."""
        return len(self.tokens)

    @property
    def wants_rows(self) -> bool:
        """True when there is a token left to schedule (the length is checked ahead)."""
        return not self.finished and (self.in_prefill or self.output < self.row_limit)

    @property
    def is_live(self) -> bool:
        """True when it may want rows, now or once drafts are rejected: it keeps its row."""
        left = self.row_limit - self.output + self.drafted
        return not self.finished and (self.in_prefill or left > 0)

    @property
    def takes_tokens(self) -> bool:
        """True until its last token is committed."""
        return not (self.finished or self.ended)

    def commit(self, token: int, step: int) -> None:
        """Accept one output token of batch `step`; EOS, a stop string or the longest length
        ends the request."""
        tokens = self.tokens
        tokens.append(token)
        self.committed_at.append(step)
        if token == EOS or len(tokens) >= self.max_new_tokens or self.rules.stop:
            self._end_behind(token)

    def _end_behind(self, token: int) -> None:
        """End the request where its newest token does so."""
        if self.rules.stop and self.text_end is None:
            self.text_end = text_end(self.tokens, self.rules.stop)
        over = token == EOS or self.text_end is not None
        if len(self.tokens) >= self.max_new_tokens or (over and not self.runs_to_cap):
            self.finished = True
        elif over:
            self.ended = True

    def throw_away(self, output: int) -> None:
        """A result for output number `output` that is not wanted; where a row runs on to its
        cap, the last of them ends it."""
        self.computed += self.ended
        if self.ended and output + 1 >= self.max_new_tokens:
            self.finished = True

    def streamable(self) -> int:
        """Committed tokens that may be shown: all that no later token can take back."""
        if self.text_end is not None:
            return self.text_end
        return self.committed if self.finished else showable(self.tokens, self.rules.stop)

    @property
    def text(self) -> str:
        """The committed output as text, up to its stop string."""
        return decode(self.tokens[: self.text_end])


class Row(msgspec.Struct):
    """One request's part of a batch: `count` tokens from position `start`.

    `token_ids` are the ids the host knows (the placeholder where it does not); `carry` is the
    place in the carry ring that holds the first token, or -1; `samples` is False for a
    prefill chunk that is not the last: what it samples means nothing. The last `drafts` tokens
    are drafts that only the device knows; `start` and `output` are then upper bounds.
    """

    request: Request
    start: int
    count: int
    samples: bool
    token_ids: list[int]
    carry: int
    output: int
    drafts: int = 0
