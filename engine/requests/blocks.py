"""The blocks that a running request holds: grown, found in the prefix cache, published, slid out.

A block is published once the host knows that all of its keys and values are written (computed
and settled), and let go behind a sliding window once no batch in flight can read it. Both can
be done too early, on what is merely scheduled; that is `publish_on` and `window`.

What this module does not do: decide when a request joins, ends or makes room.
"""

from dataclasses import dataclass

from engine.batch import Batch
from engine.kv.pool import DROPPED, BlockPool, PoolError
from engine.kv.prefix_cache import chained_key
from engine.ledger import Ledger
from engine.mechanisms.table import Mechanisms
from engine.oplog import rows_mask
from engine.requests.request import Request, Row
from engine.workloads.workload import Workload


@dataclass(slots=True)
class RequestBlocks:
    """Hands blocks of the pool to requests; the ledger hears what breaks a rule."""

    workload: Workload
    mechanisms: Mechanisms
    pool: BlockPool
    ledger: Ledger
    reused: int = 0
    """Blocks that were found in the prefix cache."""

    @property
    def follows_results(self) -> bool:
        """True when it matters which positions are known to be stored."""
        return self.workload.prefix_cache or self.workload.window > 0

    def grow(self, batch: Batch) -> None:
        """Give every row of a batch the blocks its new tokens need."""
        size = self.pool.block_size
        for row in batch.launched:
            request = row.request
            if row.start + row.count > len(request.blocks) * size:
                self._extend(request, row.start + row.count)
                self.ledger.blocks(batch, row)

    def reuse(self, request: Request) -> None:
        """Start behind the published blocks that hold the beginning of the request's context.

        At least one token is left to prefill, for something has to be sampled from.
        """
        size = self.pool.block_size
        for number in range((len(request.context) - 1) // size):
            block = self.pool.cache.block_of.get(self._key(request, number))
            if block is None:
                break
            self.pool.share(request.id, request.blocks, block)
            request.block_mask |= 1 << block
        request.published = len(request.blocks)
        self.reused += request.published
        request.prefilled = request.published * size

    def scheduled(self, row: Row) -> None:
        """A prefill row is about to be launched: too early to publish what it will write."""
        if self.mechanisms.publish_on == "scheduled":
            self._extend(row.request, row.start + row.count)
            self._publish(row.request, row.start + row.count)

    def settled(self, row: Row) -> None:
        """The results of a row have arrived: its keys and values are stored.

        A row with drafts, or behind some, stood further ahead than the tokens that came of it.
        """
        request = row.request
        known = len(request.prompt) + len(request.tokens)
        request.stored = min(row.start + row.count, known - 1)
        padded = self.mechanisms.batching == "static"  # padding writes its last position again
        if self.workload.prefix_cache and request.blocks and not padded:
            self._publish(request, request.stored)

    def slide(self, request: Request) -> None:
        """Let go of blocks that lie outside the window of every position still to be computed.

        In a static batch that may be the last one: padding computes it again.
        """
        computed = self.mechanisms.window == "computed"
        first = request.stored if computed else request.next_position
        first -= self.mechanisms.batching == "static"
        outside = max(0, first - self.workload.window + 1) // self.pool.block_size
        for number, block in enumerate(request.blocks[:outside]):
            if block != DROPPED:
                self.pool.let_go(request.id, block)
                request.blocks[number] = DROPPED
                request.block_mask &= ~(1 << block)

    def release(self, request: Request) -> None:
        """Give all of a request's blocks back."""
        self.ledger.release(request, request.blocks)
        request.block_mask = 0

    def _extend(self, request: Request, positions: int) -> None:
        held = len(request.blocks)
        try:
            self.pool.grow(request.id, request.blocks, positions)
        except PoolError as error:
            self.ledger.note(error.said, request.id)
        request.block_mask |= rows_mask(request.blocks[held:])

    def _publish(self, request: Request, positions: int) -> None:
        full = min(positions // self.pool.block_size, len(request.blocks))
        for number, block in enumerate(request.blocks[request.published : full], request.published):
            if block != DROPPED:  # the window passed it too early: it is another's by now
                self.pool.cache.publish(block, self._key(request, number))
        request.published = max(request.published, full)

    def _key(self, request: Request, number: int) -> bytes:
        """The chained key of a request's block; earlier ones are kept."""
        size, keys = self.pool.block_size, request.keys
        while len(keys) <= number:
            text = request.prompt + request.tokens
            start = len(keys) * size
            keys.append(chained_key(keys[-1] if keys else b"", text[start : start + size]))
        return keys[number]
