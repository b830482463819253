"""When each entry of a stream is over: work that has ended, records reached, waits done with.

Events and waits take no time of their own, so a log holds only when the host called them. A
record is reached once all that stands before it in its stream is over; a wait is over once the
record it waits for is reached, too.
"""

from collections import defaultdict

from engine.checker.happens_before import HOST_KINDS
from engine.oplog import OpKind, OpLog


def over_ns(log: OpLog) -> dict[int, int]:
    """When each operation of a stream of a finished run is over (ns), by `seq`.

    A wait for what was never recorded holds nothing up. Host operations are left out.
    """
    over: dict[int, int] = {}
    latest: dict[int, int] = defaultdict(int)
    for op in log:
        if op.kind in HOST_KINDS:
            continue
        at_ns = max(latest[op.stream], op.issue_ns, *(over[seq] for seq, _ in op.depends), 0)
        if op.kind is OpKind.WAIT:
            at_ns = max(at_ns, over.get(op.target, 0))
        elif op.kind is not OpKind.RECORD:
            at_ns = op.end_ns
        over[op.seq] = latest[op.stream] = at_ns
    return over
