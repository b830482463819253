"""Races on memory that was freed in between: use after free.

A caching allocator hands freed memory to the next who asks, and orders the two owners only
where they use the same stream. A race between them is no missing wait of the loop: whoever
freed the memory should have told the allocator of the other stream.

What this module does not do: find the races (`engine.checker.races`).
"""

from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from engine.checker.races import Race
from engine.oplog import OpKind, OpLog


def with_freed_memory(log: OpLog, races: Iterable[Race]) -> Iterator[Race]:
    """The races, as UAF where their memory was freed between the two operations."""
    frees: dict[int, list[int]] = defaultdict(list)
    for op in log:
        if op.kind is OpKind.FREE:
            frees[op.memory].append(op.seq)
    for race in races:
        earlier, later = sorted((race.first.seq, race.second.seq))
        places = frees.get(race.buffer, ())
        freed = bisect(places, earlier) < bisect(places, later)
        yield replace(race, kind="UAF") if freed else race
