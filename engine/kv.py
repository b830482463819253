"""The block pool of the paged KV cache: who owns which block.

A request reserves the blocks it can need at most when it is admitted, and takes them one
by one as its length grows. Blocks go back only when no launched batch can still touch
them; the loop sees to that, the pool checks that each is released exactly once.
"""

import random
from dataclasses import dataclass, field


class PoolError(RuntimeError):
    """A block was released twice, or more were taken than reserved."""


def blocks_for(positions: int, block_size: int) -> int:
    """How many blocks hold this many positions."""
    return -(-positions // block_size)


@dataclass(slots=True)
class BlockPool:
    """Free blocks in shuffled order (a real pool is fragmented), owners, reservations."""

    size: int
    block_size: int
    seed: int = 0
    free: list[int] = field(default_factory=list)
    owner: dict[int, str] = field(default_factory=dict)
    reserved: dict[str, int] = field(default_factory=dict)
    peak_in_use: int = 0
    promised: int = 0

    def __post_init__(self) -> None:
        self.free = list(range(self.size))
        random.Random(f"blocks {self.seed}").shuffle(self.free)

    @property
    def in_use(self) -> int:
        """Blocks that belong to a request now."""
        return self.size - len(self.free)

    def admit(self, request_id: str, blocks: int) -> bool:
        """Reserve `blocks` for a request; False when the pool cannot promise them now."""
        if blocks > len(self.free) - self.promised:
            return False
        self.reserved[request_id] = blocks
        self.promised += blocks
        return True

    def grow(self, request_id: str, blocks: list[int], positions: int) -> None:
        """Extend `blocks` until they hold `positions`, out of the request's reservation.

        Raises PoolError when the reservation is too small.
        """
        missing = blocks_for(positions, self.block_size) - len(blocks)
        if missing <= 0:
            return
        if missing > self.reserved.get(request_id, 0):
            raise PoolError(f"request {request_id} takes more KV blocks than it reserved")
        self.reserved[request_id] -= missing
        self.promised -= missing
        for _ in range(missing):
            block = self.free.pop()
            self.owner[block] = request_id
            blocks.append(block)
        self.peak_in_use = max(self.peak_in_use, self.in_use)

    def release(self, request_id: str, blocks: list[int]) -> None:
        """Give a request's blocks and reservation back.

        Raises PoolError when the request has nothing to give back (released twice).
        """
        if request_id not in self.reserved:
            raise PoolError(f"the KV blocks of request {request_id} are released twice")
        self.promised -= self.reserved.pop(request_id)
        for block in blocks:
            if self.owner.pop(block, None) != request_id:
                raise PoolError(f"KV block {block} does not belong to request {request_id}")
            self.free.append(block)
        blocks.clear()
