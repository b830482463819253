"""The block pool of the paged KV cache: who holds which block.

A request reserves blocks and takes them one by one as its length grows. A block has one
writer, the request that took it; others may hold it too, as readers, once it is published in
the prefix cache. It goes back when its last holder lets go. Blocks are let go only when no
launched batch can still touch them; `engine.requests.lifecycle` sees to that, the pool checks that
each holder does so exactly once.
"""

import random
from dataclasses import dataclass, field

from engine.kv.prefix_cache import PrefixCache
from engine.said import Said

DROPPED = -1
"""Stands in a request's list for a block that it has let go because its window has passed it."""


class PoolError(RuntimeError):
    """A block was released twice, or more were taken than reserved; `said` is the sentence."""

    def __init__(self, said: Said) -> None:
        super().__init__(said)
        self.said = said


def blocks_for(positions: int, block_size: int) -> int:
    """How many blocks hold this many positions."""
    return -(-positions // block_size)


@dataclass(slots=True)
class BlockPool:
    """Free blocks in shuffled order (a real pool is fragmented), holders, reservations.

    `owner` is a block's one writer; `holders` are all who must let go of it.
    """

    size: int
    block_size: int
    seed: int = 0
    free: list[int] = field(default_factory=list)
    owner: dict[int, str] = field(default_factory=dict)
    holders: dict[int, set[str]] = field(default_factory=dict)
    reserved: dict[str, int] = field(default_factory=dict)
    cache: PrefixCache = field(default_factory=PrefixCache)
    peak_in_use: int = 0
    promised: int = 0

    def __post_init__(self) -> None:
        self.free = list(range(self.size))
        random.Random(f"blocks {self.seed}").shuffle(self.free)

    @property
    def in_use(self) -> int:
        """Blocks that somebody holds now."""
        return self.size - len(self.free) - len(self.cache.idle)

    @property
    def available(self) -> int:
        """Blocks that can still be promised: free or idle in the prefix cache."""
        return len(self.free) + len(self.cache.idle) - self.promised

    def admit(self, request_id: str, blocks: int) -> bool:
        """Reserve (further) `blocks` for a request; False when they cannot be promised now."""
        if blocks > self.available:
            return False
        self.reserved[request_id] = self.reserved.get(request_id, 0) + blocks
        self.promised += blocks
        return True

    def grow(self, request_id: str, blocks: list[int], positions: int) -> None:
        """Extend `blocks` until they hold `positions`, out of the request's reservation.

        Raises PoolError when the reservation is too small.
        """
        missing = blocks_for(positions, self.block_size) - len(blocks)
        if missing <= 0:
            return
        self._use_reservation(request_id, missing)
        for _ in range(missing):
            block = self.free.pop() if self.free else self.cache.evict()
            self.owner[block] = request_id
            self.holders[block] = {request_id}
            blocks.append(block)
        self.peak_in_use = max(self.peak_in_use, self.in_use)

    def share(self, request_id: str, blocks: list[int], block: int) -> None:
        """Let a request read a published block, in place of one that it reserved."""
        self._use_reservation(request_id, 1)
        self.cache.idle.pop(block, None)
        self.holders.setdefault(block, set()).add(request_id)
        blocks.append(block)
        self.peak_in_use = max(self.peak_in_use, self.in_use)

    def shrink(self, request_id: str, blocks: list[int], count: int) -> list[int]:
        """Take all but the first `count` blocks back, into the request's reservation; returns them.

        Raises PoolError when the request has nothing to give back (it was released).
        """
        freed = [block for block in blocks[count:] if block != DROPPED]
        if freed:
            self._check_holds(request_id)
        del blocks[count:]
        for block in freed:
            self.let_go(request_id, block)
            self.reserved[request_id] += 1
            self.promised += 1
        return freed

    def release(self, request_id: str, blocks: list[int]) -> None:
        """Give a request's blocks and reservation back.

        Raises PoolError when the request has nothing to give back (released twice).
        """
        self._check_holds(request_id)
        self.promised -= self.reserved.pop(request_id)
        for block in blocks:
            if block != DROPPED:
                self.let_go(request_id, block)
        blocks.clear()

    def let_go(self, request_id: str, block: int) -> None:
        """One holder of one block is done with it; behind the last one it goes back.

        Raises PoolError when the request does not hold the block.
        """
        holders = self.holders.get(block)
        if holders is None or request_id not in holders:
            raise PoolError(Said("broken_holder", block=block, request=request_id))
        holders.remove(request_id)
        if self.owner.get(block) == request_id:
            del self.owner[block]
        if not holders:
            del self.holders[block]
            if not self.cache.keep(block):
                self.free.append(block)

    def _check_holds(self, request_id: str) -> None:
        if request_id not in self.reserved:
            raise PoolError(Said("broken_release", request=request_id))

    def _use_reservation(self, request_id: str, blocks: int) -> None:
        if blocks > self.reserved.get(request_id, 0):
            raise PoolError(Said("broken_reserved", request=request_id))
        self.reserved[request_id] -= blocks
        self.promised -= blocks
