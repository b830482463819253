"""Conflicting operations that nothing orders.

Two operations race when they touch the same rows of a buffer, at least one of them
writes, and neither happens before the other. The search keeps, for each buffer, the
accesses of every stream in the order of issue and walks back from the newest only
as far as the clock of the operation at hand does not reach.

What this module does not do: decide what is ordered (`engine.checker.happens_before`), name
the missing edge (`engine.checker.hazards`).
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from engine.checker.happens_before import Clock, clocks
from engine.oplog import HOST, NONE, Access, Op, OpKind, OpLog

RaceKind = Literal["RAW", "WAR", "WAW", "UAF"]
"""UAF, use after free: memory was freed, and used anew, under an operation's feet."""


@dataclass(frozen=True, slots=True)
class Race:
    """Two unordered operations that touch the same rows of a buffer, at least one writing.

    `first` and `second` stand in logical order: by step where both carry one,
    otherwise as issued. `mask` has one bit for each row in conflict.
    """

    kind: RaceKind
    buffer: int
    first: Op
    second: Op
    mask: int


@dataclass(slots=True)
class _Lane:
    """Accesses of one sort (stream, op kind, read or write) to one buffer, as issued.

    `entries` holds (operation, rows, highest step up to here).
    """

    stream: int
    kind: OpKind
    writes: bool
    last_seq: int = NONE
    entries: list[tuple[Op, int, int]] = field(default_factory=list)

    def add(self, op: Op, mask: int) -> None:
        peak = max(op.step, self.entries[-1][2]) if self.entries else op.step
        self.entries.append((op, mask, peak))
        self.last_seq = op.seq


def find_races(log: OpLog, every: bool = False) -> Iterator[Race]:
    """The races of a log, in the order in which their later-issued half appears.

    By default a race is left out when a nearer one implies it: the same later
    operation races with a later access of the same lane and in the same logical
    order, so whatever orders the nearer pair orders this one too. No group of
    hazards is lost by that, and a run in which nothing is ever waited for costs
    linear time. `every=True` lists all pairs.

    Host accesses are checked but not kept: all later operations come after them.
    """
    lanes: dict[int, list[_Lane]] = defaultdict(list)
    for op, known in zip(log, clocks(log), strict=True):
        for writes, accesses in ((False, op.reads), (True, op.writes)):
            for access in accesses:
                for lane in lanes[access.buffer]:
                    if lane.stream == op.stream or not (writes or lane.writes):
                        continue
                    if lane.last_seq > known[lane.stream]:
                        yield from _races_in(lane, op, access, writes, known, every)
        if op.stream != HOST:
            _remember(lanes, op)


def _remember(lanes: dict[int, list[_Lane]], op: Op) -> None:
    for writes, accesses in ((False, op.reads), (True, op.writes)):
        for access in accesses:
            of_buffer = lanes[access.buffer]
            for lane in of_buffer:
                if lane.stream == op.stream and lane.kind is op.kind and lane.writes == writes:
                    break
            else:
                lane = _Lane(op.stream, op.kind, writes)
                of_buffer.append(lane)
            lane.add(op, access.mask)


def _races_in(
    lane: _Lane, op: Op, access: Access, writes: bool, known: Clock, every: bool
) -> Iterator[Race]:
    """Races of one access with a lane, newest entry first."""
    implied = False  # a nearer race in log order implies the older ones
    for earlier, mask, peak in reversed(lane.entries):
        if earlier.seq <= known[lane.stream]:
            return
        rows = mask & access.mask
        if rows and NONE < op.step < earlier.step:
            yield Race(_race_kind(writes, lane.writes), access.buffer, op, earlier, rows)
        elif rows and not implied:
            yield Race(_race_kind(lane.writes, writes), access.buffer, earlier, op, rows)
            implied = not every
        if implied and (op.step == NONE or peak <= op.step):
            return


def _race_kind(first_writes: bool, second_writes: bool) -> RaceKind:
    if first_writes:
        return "WAW" if second_writes else "RAW"
    return "WAR"
