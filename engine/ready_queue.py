"""The third form of the loop: whatever is ready moves, in no fixed order.

`Loop.run_async` finishes the oldest batch when the pipeline is full. Here the host asks which
results have come and takes them at once, so it learns of an end earlier; it prepares and submits
what needs nothing that is still to come; and it sleeps, until the oldest batch is done, only when
nothing can move. The three moves are those of `engine.loop`.
"""

from engine.batch import Batch
from engine.loop import Loop


def run_ready_queue(loop: Loop) -> None:
    """Run batches until no work is left. Every turn moves something, or sleeps: no polling."""
    prepared: list[Batch] = []
    while True:
        retire_complete(loop)
        if can_prepare(loop, prepared):
            prepared.append(loop.prepare())
        elif prepared and not loop.unread_owner(prepared[0]):
            loop.launch(prepared.pop(0))
        elif loop.in_flight and (prepared or not loop.leaves_undrained):
            wait_for_one(loop)
        else:
            break


def retire_complete(loop: Loop) -> None:
    """Finish every batch whose results have come, oldest first."""
    while loop.in_flight and loop.has_arrived(loop.in_flight[0]):
        loop.finish(loop.in_flight[0])


def can_prepare(loop: Loop, prepared: list[Batch]) -> bool:
    """True when there is room for a batch in the pipeline, and it needs no pending result."""
    under_way = len(loop.in_flight) + len(prepared)
    if loop.mechanisms.backpressure and under_way >= loop.depth:
        return False
    return not (under_way and loop.needs_results) and loop.has_rows()


def wait_for_one(loop: Loop) -> None:
    """Sleep until the oldest batch in flight is done, and finish it."""
    loop.device.context.cause = loop.needs_results
    loop.finish(loop.in_flight[0])
    loop.device.context.cause = ""
