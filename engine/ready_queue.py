"""The third form of the loop: whatever is ready moves, in no fixed order.

`Loop.run_async` finishes the oldest batch when the pipeline is full. Here the host asks, without
blocking, whether results have come, and takes them when they have; it prepares and submits what
needs nothing that is still to come; and it sleeps, until the oldest batch is done, only when
nothing can move. The three moves are those of `engine.loop`.
"""

from engine.loop import Loop


def run_ready_queue(loop: Loop) -> None:
    """Run batches until no work is left. Every turn moves something, or sleeps: no polling.

    The device comes first: results are read while it works on what was just submitted.
    """
    while True:
        submitted = submit_ready(loop)
        if retire_complete(loop) or submitted:
            continue
        if not loop.in_flight or loop.leaves_undrained:
            break
        wait_for_completion(loop)


def submit_ready(loop: Loop) -> bool:
    """Prepare and launch a batch, if there is room for one that needs no pending result."""
    if loop.is_full or (loop.in_flight and loop.needs_results) or not loop.has_rows():
        return False
    loop.launch(loop.prepare())
    return True


def retire_complete(loop: Loop) -> bool:
    """Finish the oldest batch, if its results have come."""
    if not (loop.in_flight and loop.has_arrived(loop.in_flight[0])):
        return False
    loop.finish(loop.in_flight[0])
    return True


def wait_for_completion(loop: Loop) -> None:
    """Sleep until the oldest batch in flight is done, and finish it."""
    loop.device.context.cause = loop.needs_results
    loop.finish(loop.in_flight[0])
    loop.device.context.cause = ""
