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

    def note(self, kind: str, request_id: str, sentence: str) -> None:
        """Write a broken invariant down, the first time for this kind and request."""
        if (kind, request_id) not in self._seen:
            self._seen.add((kind, request_id))
            self.broken.append(sentence)

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
                    self.note(
                        "reader", request.id,
                        f"batch {batch.step} reads KV block {block}, which request {request.id} "
                        "does not own",
                    )  # fmt: skip

    def writes(self, batch: Batch, request: Request, block: int) -> None:
        """A block that a batch writes for a request must be its own."""
        if self.pool.owner.get(block) != request.id:
            self.note(
                "writer", request.id,
                f"batch {batch.step} writes KV block {block}, which request {request.id} "
                "does not own",
            )  # fmt: skip

    def wrote(self, step: int, foreign: list[int]) -> None:
        """A batch's kernels write KV blocks that none of its requests owns."""
        for block in foreign:
            self.note(
                "wrote", str(block),
                f"batch {step} writes KV block {block}, which none of its requests owns",
            )  # fmt: skip

    def settled(self, batch: Batch) -> None:
        """A batch's results have been handed out."""
        self.tokens_in_flight -= batch.tokens
        if batch.settled:
            self.note("twice", str(batch.step), f"batch {batch.step} was settled twice")
        batch.settled = True
        if tuple(batch.rows) != batch.launched:
            self.note(
                "rows", "",
                f"the results of batch {batch.step} were matched with the rows of another batch",
            )  # fmt: skip

    def lengths(self, request: Request) -> None:
        """scheduled >= computed >= committed, and streamed <= committed."""
        if not request.scheduled >= request.computed >= len(request.tokens):
            self.note(
                "lengths", request.id,
                f"request {request.id} has {request.scheduled} tokens scheduled, "
                f"{request.computed} computed and {request.committed} committed: these may "
                "only shrink from left to right",
            )  # fmt: skip
        if request.called_off and request.output < len(request.tokens):
            self.note(
                "called off", request.id,
                f"request {request.id} committed tokens that were called off: "
                f"{request.committed} of {request.output}",
            )  # fmt: skip
        if request.streamed > len(request.tokens):
            self.note("streamed", request.id, f"request {request.id} streamed uncommitted tokens")

    def committing(self, row: Row) -> None:
        """A result becomes the token at its own place, also behind a preemption."""
        request = row.request
        if row.output != len(request.tokens):
            self.note(
                "place", request.id,
                f"request {request.id} committed the result for output token {row.output} as its "
                f"token {request.committed}: results were lost or doubled when it was preempted",
            )  # fmt: skip

    def release(self, request: Request, blocks: list[int]) -> None:
        """Give a request's blocks back; a second time is a broken invariant."""
        try:
            self.pool.release(request.id, blocks)
        except PoolError as error:
            self.note("release", request.id, str(error))

    def shrink(self, request: Request, count: int) -> list[int]:
        """Give all but the first `count` of a request's blocks back, and return those; none, and
        a broken invariant, where they were given back before."""
        try:
            return self.pool.shrink(request.id, request.blocks, count)
        except PoolError as error:
            self.note("release", request.id, str(error))
            return []

    def finished(self, requests: list[Request], cut: bool) -> None:
        """The run is over. `cut` says that it was to end before its requests did."""
        for request in requests:
            tokens = request.tokens
            self.lengths(request)
            past = EOS in tokens[:-1] or len(tokens) > request.max_new_tokens
            if past or _goes_on_after_stop(request):
                self.note("past", request.id, f"request {request.id} has tokens past its end")
            shown = request.streamable()
            if shown < request.streamed <= request.committed:
                self.note(
                    "stop", request.id,
                    f"request {request.id} streamed {request.streamed - shown} tokens that are "
                    "part of a stop string or stand behind it",
                )  # fmt: skip
            elif request.streamed != shown and not request.cancelled:  # nobody listens any more
                self.note(
                    "unstreamed", request.id,
                    f"request {request.id} streamed {request.streamed} of {shown} committed tokens",
                )  # fmt: skip
            if not request.finished and not cut:
                self.note(
                    "unfinished", request.id,
                    f"request {request.id} was never finished: {request.in_flight} launched "
                    "rows were not committed",
                )  # fmt: skip
        left = self.pool.in_use + self.pool.promised
        if left:
            self.note("pool", "", f"{left} KV blocks were never released")


def _goes_on_after_stop(request: Request) -> bool:
    """True when an earlier token than the last had already completed a stop string."""
    stops, tokens = request.rules.stop, request.tokens
    return bool(stops) and any(
        text_end(tokens[:count], stops) is not None for count in range(len(tokens))
    )
