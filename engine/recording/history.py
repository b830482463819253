"""How every request and every KV block stood, written down whenever it changes.

Requests change in host code, between two calls of the device; so it is enough to look each time
host time is about to pass. What is kept grows with what changes, not with the length of the run.
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from engine.kv.pool import BlockPool
from engine.requests.lifecycle import Lifecycle
from engine.requests.request import Request


class RequestState(NamedTuple):
    """A request at an instant: its lengths in tokens, where it is, and the KV blocks it holds.

    `stage` is "waiting", "running", "leaving" (preempted, its last batch is not done) or "over".
    """

    id: str
    stage: str
    prompt: int
    prefilled: int
    scheduled: int
    computed: int
    committed: int
    streamed: int
    called_off: int
    in_flight: int
    blocks: tuple[int, ...]


class BlockState(NamedTuple):
    """A KV block in use: its one writer ("" where that is gone), and all who hold it."""

    writer: str
    holders: frozenset[str]


Blocks = dict[int, BlockState]

State = TypeVar("State")


@dataclass(slots=True)
class History:
    """The states so far, by request and for the pool, each with the instant from which it holds."""

    life: Lifecycle
    pool: BlockPool
    requests: dict[str, list[tuple[int, RequestState]]] = field(default_factory=dict)
    blocks: list[tuple[int, Blocks]] = field(default_factory=list)
    _open: list[Request] = field(default_factory=list)
    _known: int = 0
    _owner: dict[int, str] = field(default_factory=dict)
    _holders: dict[int, set[str]] = field(default_factory=dict)

    def look(self, at_ns: int) -> None:
        """Note what has changed by now."""
        known = self.life.all_requests
        self._open += known[self._known :]
        self._known = len(known)
        stage = self._stages()
        over = []
        for request in self._open:
            state = state_of(request, stage.get(request.id, "over"))
            states = self.requests.setdefault(request.id, [])
            if not states or states[-1][1] != state:
                states.append((at_ns, state))
            if request.finished and not request.in_flight and not request.blocks:
                over.append(request)
        if over:
            self._open = [request for request in self._open if request not in over]
        self._look_at_blocks(at_ns)

    def requests_at(self, at_ns: int) -> list[RequestState]:
        """All requests known at an instant, in the order in which they came to be known."""
        found = (_at(states, at_ns) for states in self.requests.values())
        return [state for state in found if state is not None]

    def blocks_at(self, at_ns: int) -> Blocks:
        """The KV blocks in use at an instant, by number."""
        return _at(self.blocks, at_ns) or {}

    def _stages(self) -> dict[str, str]:
        life = self.life
        stages = {request.id: "waiting" for request in (*life.waiting, *life.held)}
        stages |= {request.id: "leaving" for request in life.leaving}
        return stages | {request.id: "running" for request in life.running}

    def _look_at_blocks(self, at_ns: int) -> None:
        pool = self.pool
        if pool.owner == self._owner and pool.holders == self._holders:
            return
        self._owner = dict(pool.owner)
        self._holders = {block: set(holders) for block, holders in pool.holders.items()}
        states = {
            block: BlockState(self._owner.get(block, ""), frozenset(holders))
            for block, holders in self._holders.items()
        }
        self.blocks.append((at_ns, states))


def state_of(request: Request, stage: str) -> RequestState:
    """A request as it is now."""
    return RequestState(
        request.id, stage, len(request.prompt), request.prefilled, request.scheduled,
        request.computed, len(request.tokens), request.streamed, request.called_off,
        request.in_flight, tuple(request.blocks),
    )  # fmt: skip


def _at(states: list[tuple[int, State]], at_ns: int) -> State | None:
    """The last state that holds from `at_ns` or earlier."""
    index = bisect_right(states, at_ns, key=lambda entry: entry[0])
    return states[index - 1][1] if index else None
