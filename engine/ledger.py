"""The engine's invariants, checked while it runs.

The three lengths keep their order, every launched row is settled exactly once and by its
own request, nothing is committed past EOS, a stop string or the longest length, what is
streamed is what is committed (up to the stop string), a batch writes only blocks of its own
requests and reads only those or published ones, each holder lets go of a block once, and the
pool is whole at the end. A broken invariant is a sentence in `broken`, once for each kind and
request.
"""

from dataclasses import dataclass, field

from engine.batch import Batch
from engine.kv.pool import DROPPED, BlockPool, PoolError
from engine.model.tokenizer import EOS
from engine.requests.request import Request, Row
from engine.requests.streaming import text_end
from engine.said import Said


@dataclass(slots=True)
class Ledger:
    """Broken invariants, the peaks of tokens in flight and of the KV plan (blocks), and rows
    computed whose result was thrown away."""

    pool: BlockPool
    broken: list[str] = field(default_factory=list)
    tokens_in_flight: int = 0
    peak_in_flight: int = 0
    launched_rows: int = 0
    wasted_rows: int = 0
    peak_plan: int = 0
    _seen: set[tuple[str, str]] = field(default_factory=set)

    def note(self, said: Said, about: str) -> None:
        """Write a broken invariant down, the first time for this kind and what it is about."""
        if (said.code, about) not in self._seen:
            self._seen.add((said.code, about))
            self.broken.append(said)

    def scheduled(self, batch: Batch) -> None:
        """A batch is about to be launched."""
        self.launched_rows += len(batch.launched)
        self.tokens_in_flight += batch.tokens
        self.peak_in_flight = max(self.peak_in_flight, self.tokens_in_flight)

    def planned(self, headroom: int) -> None:
        """A request joins; `headroom` blocks are what the batches in flight may yet ask for."""
        plan = self.pool.in_use + self.pool.promised + headroom
        self.peak_plan = max(self.peak_plan, plan)

    def blocks(self, batch: Batch, row: Row) -> None:
        """A row writes only blocks of its own, and reads its own or published ones.

        What is read is looked at while the context is prefilled: later on a request gets no
        block that it does not write first.
        """
        request, pool = row.request, self.pool
        first = row.start // pool.block_size
        for block in request.blocks[first:]:
            self.writes(batch, request, block)
        if row.start < len(request.context):
            for block in request.blocks[:first]:
                if block != DROPPED and request.id not in pool.holders.get(block, ()):
                    said = Said("broken_reader", step=batch.step, block=block, request=request.id)
                    self.note(said, request.id)

    def writes(self, batch: Batch, request: Request, block: int) -> None:
        """A block that a batch writes for a request must be its own."""
        if self.pool.owner.get(block) != request.id:
            said = Said("broken_writer", step=batch.step, block=block, request=request.id)
            self.note(said, request.id)

    def wrote(self, step: int, foreign: list[int]) -> None:
        """A batch's kernels write KV blocks that none of its requests owns."""
        for block in foreign:
            self.note(Said("broken_wrote", step=step, block=block), str(block))

    def settled(self, batch: Batch) -> None:
        """A batch's results have been handed out."""
        self.tokens_in_flight -= batch.tokens
        if batch.settled:
            self.note(Said("broken_twice", step=batch.step), str(batch.step))
        batch.settled = True
        if tuple(batch.rows) != batch.launched:
            self.note(Said("broken_rows", step=batch.step), "")

    def lengths(self, request: Request) -> None:
        """scheduled >= computed >= committed, and streamed <= committed."""
        if not request.scheduled >= request.computed >= len(request.tokens):
            said = Said(
                "broken_lengths", request=request.id, scheduled=request.scheduled,
                computed=request.computed, committed=request.committed,
            )  # fmt: skip
            self.note(said, request.id)
        if request.called_off and request.output < len(request.tokens):
            said = Said(
                "broken_called_off", request=request.id, committed=request.committed,
                output=request.output,
            )  # fmt: skip
            self.note(said, request.id)
        if request.streamed > len(request.tokens):
            self.note(Said("broken_streamed", request=request.id), request.id)

    def committing(self, row: Row) -> None:
        """A result becomes the token at its own place, also behind a preemption."""
        request = row.request
        if row.output != len(request.tokens):
            said = Said(
                "broken_place", request=request.id, output=row.output, committed=request.committed
            )
            self.note(said, request.id)

    def release(self, request: Request, blocks: list[int]) -> None:
        """Give a request's blocks back; a second time is a broken invariant."""
        try:
            self.pool.release(request.id, blocks)
        except PoolError as error:
            self.note(error.said, request.id)

    def shrink(self, request: Request, count: int) -> list[int]:
        """Give all but the first `count` of a request's blocks back, and return those; none, and
        a broken invariant, where they were given back before."""
        try:
            return self.pool.shrink(request.id, request.blocks, count)
        except PoolError as error:
            self.note(error.said, request.id)
            return []

    def finished(self, requests: list[Request], cut: bool) -> None:
        """The run is over. `cut` says that it was to end before its requests did."""
        for request in requests:
            tokens = request.tokens
            self.lengths(request)
            past = EOS in tokens[:-1] or len(tokens) > request.max_new_tokens
            if past or _goes_on_after_stop(request):
                self.note(Said("broken_past", request=request.id), request.id)
            shown = request.streamable()
            if shown < request.streamed <= request.committed:
                count = request.streamed - shown
                self.note(Said("broken_stop", request=request.id, count=count), request.id)
            elif request.streamed != shown and not request.cancelled:  # nobody listens any more
                streamed = {"streamed": request.streamed, "shown": shown}
                self.note(Said("broken_unstreamed", request=request.id, **streamed), request.id)
            if not request.finished and not cut:
                said = Said("broken_unfinished", request=request.id, count=request.in_flight)
                self.note(said, request.id)
        left = self.pool.in_use + self.pool.promised
        if left:
            self.note(Said("broken_pool", count=left), "")


def _goes_on_after_stop(request: Request) -> bool:
    """True when an earlier token than the last had already completed a stop string."""
    stops, tokens = request.rules.stop, request.tokens
    return bool(stops) and any(
        text_end(tokens[:count], stops) is not None for count in range(len(tokens))
    )
