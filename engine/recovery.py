"""After a failure: a batch has no results, and what its requests have in flight is worth nothing.

Later batches in flight began with the tokens, keys and values that the failed one never made.
Their rows of these requests are discarded, exactly those; rows of other requests are good. The
requests either end as failed, or are computed anew from their committed tokens, as after a
preemption.

What this module does not do: notice a failure (`engine.device.faults`, the loop).
"""

from dataclasses import dataclass, field

from engine.batch import Batch
from engine.device.faults import BatchError, Fault
from engine.requests.request import Row
from engine.said import Said
from engine.scheduler import Scheduler


@dataclass(slots=True)
class Recovery:
    """`fault` is the failure to come, if one is injected; `errors` has a sentence for each, and
    `failed_steps` the step at which it came."""

    scheduler: Scheduler
    fault: Fault | None = None
    errors: list[str] = field(default_factory=list)
    failed_steps: list[int] = field(default_factory=list)

    def recover(self, batch: Batch, error: BatchError) -> None:
        """Settle a batch without results, and end or retry the requests that wanted them."""
        wanting = [row.request for row in batch.launched if row.request.takes_tokens]
        self.scheduler.blocks.ledger.settled(batch)
        policy = self.scheduler.mechanisms.on_fault
        for number, row in enumerate(batch.launched):
            row.request.in_flight -= 1
            row.request.poisoned_step = row.request.last_step
            if row.samples:
                self._lose(row, _lost(row, number, batch), policy == "retry")
        for request in reversed(wanting):  # the last to go to the front of the queue is first
            if policy == "retry":
                self.scheduler.preemption.compute_again(request)
            else:
                self.scheduler.life.fail(request)
        names = ", ".join(request.id for request in wanting)
        code = f"error_{policy if names else 'nobody'}"
        self.failed_steps.append(batch.step)
        self.errors.append(Said(code, step=batch.step, error=error.said, names=names))

    def _lose(self, row: Row, tokens: int, retry: bool) -> None:
        """The tokens of a row will not come. A request that ends keeps what it has scheduled:
        by that its blocks are counted until its last batch is done."""
        request = row.request
        self.scheduler.blocks.ledger.wasted_rows += tokens
        if request.discard:
            request.discard -= tokens
        elif not request.takes_tokens:
            request.throw_away(row.output + row.drafts)
        elif retry:
            request.called_off += tokens


def _lost(row: Row, number: int, batch: Batch) -> int:
    """How many output tokens are lost with row `number`: those accepted, where that is known
    already, else all that it was scheduled for."""
    if batch.taken:
        return batch.taken[number]
    row.request.drafted -= row.drafts
    return 1 + row.drafts
