"""Room for those that run, where blocks are reserved on demand.

When the pool can promise no block to a request that needs one, the youngest running request is
preempted. It goes back to the front of the queue and either computes its keys and values anew
(recompute) or has them copied to host memory and back (swap). What it had in flight is called
off: exactly those results are discarded when they arrive.
"""

from dataclasses import dataclass

from engine.kv.pool import blocks_for
from engine.requests.lifecycle import Lifecycle
from engine.requests.request import Request


@dataclass(slots=True)
class Preemption:
    """Takes blocks from the youngest. `count` says how often."""

    life: Lifecycle
    count: int = 0

    def make_room(self) -> None:
        """Extend the reservation of every running request by the token it is to compute next."""
        for request in tuple(self.life.running):
            if request.wants_rows and not request.in_prefill and request in self.life.running:
                request.stalled = not self._has_room(request)

    def _has_room(self, request: Request) -> bool:
        """False when the request must sit the step out, or had to go itself."""
        pool, size = self.life.blocks.pool, self.life.blocks.pool.block_size
        while request.capacity <= request.next_position:
            if pool.admit(request.id, 1):
                request.capacity += size
            elif self._blocks_are_coming():
                return False
            else:
                victim = next(r for r in reversed(self.life.running) if r.wants_rows)
                self.preempt(victim)
                if victim is request:
                    return False
        return True

    def _blocks_are_coming(self) -> bool:
        """True when some request is about to give its blocks back: nobody else has to go."""
        if self.life.leaving or self.life.static:  # padding keeps its blocks to the end
            return bool(self.life.leaving)
        return not all(request.wants_rows for request in self.life.running)

    def preempt(self, request: Request) -> None:
        """Take a running request's blocks and let it wait at the front of the queue."""
        if request.ended:  # its rows are run for their number's sake: nobody wants the results
            request.finished = True
            self.life.retire()
            return
        self.count += 1
        self._take_back(request, keep=True)

    def compute_again(self, request: Request) -> None:
        """A failure spoilt a request's keys and values: it goes on from its committed tokens, as
        after a preemption. One that was just preempted may have had them swapped out."""
        if request in self.life.running:
            self._take_back(request, keep=False)
            return
        if self.life.swapper is not None:
            self.life.swapper.forget(request)
        request.prefilled = request.published = 0

    def _take_back(self, request: Request, keep: bool) -> None:
        """To the front of the queue; with `keep` the keys and values may be swapped out."""
        self.life.running.remove(request)
        self.life.waiting.appendleft(request)
        self._call_off(request)
        stored = request.next_position
        request.context = request.prompt + request.tokens
        stored = min(stored, len(request.context) - 1)  # the last token is computed once more
        request.prefilled = stored if keep and self._swap_out(request, stored) else 0
        request.published = request.prefilled // self.life.blocks.pool.block_size
        request.in_prefill, request.stalled = True, False
        self.life.leaving.append(request)
        self.life.retire()

    def _swap_out(self, request: Request, positions: int) -> bool:
        """True when the request's keys and values of so many positions go to host memory."""
        if self.life.swapper is None:
            return False
        held = request.blocks[: blocks_for(positions, self.life.blocks.pool.block_size)]
        return self.life.swapper.swap_out(request, held)

    def _call_off(self, request: Request) -> None:
        on_the_way = max(0, request.output - request.computed)
        request.discard += {
            "exact": on_the_way, "nothing": 0, "too-much": on_the_way + 1,
        }[self.life.mechanisms.preempt_discard]  # fmt: skip
        request.called_off += on_the_way
