"""What to hold back so that every race is lost, and seen.

A race is between two operations that nothing orders: the one that should come first, and the one
that should wait for it. On a machine the first often wins, and the fault hides. Whoever holds it
back for a while sees what the missing edge does. Where nothing races all copies are held back:
that may cost time, and no token.

What this module does not know: devices, and how they hold something back.
"""

from collections import Counter

from engine.checker.races import find_races
from engine.oplog import OpKind, OpLog

COPIES = (OpKind.H2D, OpKind.D2H)


def hold_back(log: OpLog, total_ns: int) -> dict[str, int]:
    """How long to hold operations back (ns), by name, from the log of an earlier run of the loop.

    A race is told for the last operation that should have come first; those before it in its
    stream that touch the same memory race as well. On each stream they share `total_ns`.
    """
    first = {(race.first.stream, race.buffer) for race in find_races(log)}
    racing = {
        (op.stream, op.name)
        for op in log
        for access in (*op.reads, *op.writes)
        if (op.stream, access.buffer) in first
    }
    chosen = racing or {(op.stream, op.name) for op in log if op.kind in COPIES}
    sharing = Counter(stream for stream, _ in chosen)
    return {name: total_ns // sharing[stream] for stream, name in sorted(chosen)}
