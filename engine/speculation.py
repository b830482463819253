"""Speculative decoding, the host's side: how far a request really got.

A decode row is launched with up to k drafts behind its token; the device accepts 0 to k of
them (`engine.drafting`). The next batch is prepared before the host knows how many. So what a
request has *scheduled* is an upper bound while drafts are in flight: blocks are reserved for it,
and no row goes past the longest length. When the results arrive, the rejected drafts are called
off, and the KV blocks reserved for them go back to the pool.

What this module does not know: how drafts are found and verified, when the device does it.
"""

from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

from engine.batch import Batch
from engine.kv.pool import blocks_for
from engine.ledger import Ledger
from engine.mechanisms.table import Mechanisms
from engine.oplog import rows_mask
from engine.requests.request import Request, Row
from engine.workloads.workload import Workload


@dataclass(slots=True)
class Speculation:
    """Seats, verdicts on drafts, and what was proposed and accepted.

    A *seat* is a request's row in the device's tables. `computes` is False in a timing-only
    run, where every draft has a chance of `workload.acceptance` percent to be accepted.
    """

    workload: Workload
    mechanisms: Mechanisms
    ledger: Ledger
    computes: bool
    seated: list[Request | None] = field(init=False)
    proposed: int = 0
    accepted: int = 0
    peak_kept: int = 0

    def __post_init__(self) -> None:
        self.seated = [None] * self.workload.batch

    def take_seats(self, batch: Batch) -> None:
        """Give every request of a batch a seat, if need be that of a request not in it.

        Nothing is lost but old text to find drafts in: a row whose token comes from the host
        sets its seat anew, and only a request of the batch before carries its token.
        """
        present = {row.request for row in batch.launched}
        for request in [row.request for row in batch.launched if row.request.seat < 0]:
            idle = [seat for seat, other in enumerate(self.seated) if other not in present]
            request.seat = min(idle, key=self._use)
            leaving = self.seated[request.seat]
            if leaving is not None:
                leaving.seat = -1
            self.seated[request.seat] = request

    def _use(self, seat: int) -> tuple[bool, int]:
        """The smaller, the less a seat is needed by who has it."""
        request = self.seated[seat]
        return (request.is_live, request.last_step) if request else (False, -1)

    def tokens(self, read: list[Any], batch: Batch) -> list[int]:
        """The tokens to commit, row after row: those accepted; what was not is called off."""
        self.resolve(read, batch)
        if not self.computes:
            return [0] * sum(batch.taken)
        counts = self._committed(batch)
        return [
            token
            for result, count in zip(read, counts, strict=True)
            for token in result[2 : 2 + count]
        ]

    def row_of_each_token(self, rows: list[Row], batch: Batch) -> list[Row]:
        """The row that each of a batch's tokens belongs to."""
        counts = self._committed(batch)
        return [row for row, count in zip(rows, counts, strict=False) for _ in range(count)]

    def _committed(self, batch: Batch) -> list[int]:
        """How many tokens each row commits."""
        if self.mechanisms.commit == "all" and self.computes:
            return [1 + row.drafts for row in batch.launched]
        return batch.taken

    def resolve(self, read: list[Any], batch: Batch) -> None:
        """Note how many tokens each row gave, and call the rejected drafts off (once a batch).

        `read` holds [accepted tokens, proposed drafts, tokens, next drafts] for each row.
        """
        kept = 0
        for row, result in zip(batch.launched, read, strict=True) if not batch.taken else ():
            request = row.request
            taken = self._taken(row, result)
            batch.taken.append(taken)
            rejected = 1 + row.drafts - taken
            if request.discard:  # preempted since: all of the row has been called off
                request.discard -= rejected
            else:
                request.called_off += rejected
            request.drafted -= row.drafts
            request.accepted += taken * row.samples
            if self.computes and request.rules.steers:
                request.next_drafts = result[3 + self.workload.speculate :]
            if row.drafts:
                self.proposed += result[1] if self.computes else row.drafts
                self.accepted += taken - 1
                kept += self._roll_back(request)
        self.peak_kept = max(self.peak_kept, kept)

    def _taken(self, row: Row, result: Any) -> int:  # noqa: ANN401
        """Accepted tokens of a row; a host that reads too early finds any number there."""
        if self.computes:
            return min(max(int(result[0]), 1), 1 + row.drafts)
        request, most = row.request, 1 + row.drafts
        return next((n for n in range(1, most) if not self._by_chance(request, n)), most)

    def _by_chance(self, request: Request, number: int) -> bool:
        """Whether draft `number` is accepted in a timing-only run: by a checksum that depends on
        request and position alone, so that it is the same in every order of work."""
        drawn = crc32(b"%d %d" % (request.seed, request.accepted + number))
        return drawn % 100 < self.workload.acceptance

    def _roll_back(self, request: Request) -> int:
        """Blocks past what is scheduled go back; how many of them are kept."""
        other_writer = self.workload.admission == "on-demand" and self.workload.preemption == "swap"
        if request.in_prefill or (other_writer and request.in_flight > 1):
            return 0  # preempted; or a batch in flight may touch what a swap would write
        needed = blocks_for(len(request.prompt) + request.output - 1, self.ledger.pool.block_size)
        if self.mechanisms.rollback == "kept":
            return max(0, len(request.blocks) - needed)
        request.block_mask &= ~rows_mask(self.ledger.shrink(request, needed))
        return 0


def most_drafts(workload: Workload, mechanisms: Mechanisms) -> int:
    """Drafts a decode row: none where the host samples, for they are verified on the device."""
    return workload.speculate if mechanisms.sampling == "device" else 0
