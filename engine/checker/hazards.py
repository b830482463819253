"""The hazard verdict: races grouped and named in the words of the loop.

`find_hazards(log)` answers for each group of races: what kind (read after write,
write after read, write after write), on which resource, from which step on, which
edge is missing between which two operations, and which line would put it there.
It reads the log of operations only, never a clock, so a race that the timing
happened to hide is named like any other.

What this module does not do: find the races (`engine.checker.races`), choose the edges of a
fix (`engine.checker.fixes`) or write them into a log (`engine.checker.repair`).
"""

from collections import defaultdict
from dataclasses import dataclass, replace

from engine.checker.fixes import ROLES, Edge, Fix, fix_for
from engine.checker.freed import with_freed_memory
from engine.checker.races import Race, RaceKind, find_races
from engine.checker.repair import apply_fix
from engine.oplog import HOST, NONE, BufferInfo, Op, OpKind, OpLog
from engine.said import Said

__all__ = ["Edge", "Fix", "Hazard", "Race", "apply_fix", "find_hazards", "find_races"]


@dataclass(frozen=True, slots=True)
class Hazard:
    """All races of one kind on one resource that miss the same edge.

    `step`, `first`, `second` and `ops` (two `seq`) describe the race that shows
    first; `step` is that of its second operation, NONE where it carries none.
    `labels` are the tensors concerned. `count` is the number of racing pairs,
    without those that a nearer pair implies (see `find_races`).
    """

    kind: RaceKind
    resource: str
    labels: tuple[str, ...]
    step: int
    first: str
    second: str
    missing_edge: str
    fix: Fix
    count: int
    ops: tuple[int, int]

    def to_json(self) -> dict[str, object]:
        """The hazard as plain values, the fix as its line of text."""
        return {
            "kind": self.kind,
            "resource": self.resource,
            "labels": list(self.labels),
            "step": self.step,
            "first": str(self.first),
            "second": str(self.second),
            "missing_edge": self.missing_edge,
            "fix": str(self.fix.text),
            "count": self.count,
        }


def find_hazards(log: OpLog) -> list[Hazard]:
    """The hazards of a log, one for each (kind, resource, missing edge), earliest first."""
    buffers = {buffer.index: buffer for buffer in log.buffers}
    groups: dict[tuple[RaceKind, str, str], list[Race]] = defaultdict(list)
    for race in with_freed_memory(log, find_races(log)):
        key = (race.kind, buffers[race.buffer].resource, missing_edge(race.first, race.second))
        groups[key].append(race)
    hazards = [_hazard(log, buffers, races) for races in groups.values()]
    return sorted(hazards, key=lambda hazard: (hazard.step, max(hazard.ops), hazard.missing_edge))


def missing_edge(first: Op, second: Op) -> str:
    """The edge that would order two operations, such as "h2d_done -> compute"."""
    event = ROLES[first.kind] if first.stream == HOST else f"{ROLES[first.kind]}_done"
    return f"{event} -> {ROLES[second.kind]}"


def _hazard(log: OpLog, buffers: dict[int, BufferInfo], races: list[Race]) -> Hazard:
    shown = min(races, key=lambda race: (race.second.step, race.second.seq, -race.first.seq))
    buffer = buffers[shown.buffer]
    return Hazard(
        kind=shown.kind,
        resource=buffer.resource,
        labels=tuple(sorted({buffers[race.buffer].label for race in races})),
        step=shown.second.step,
        first=_place(log, shown.first),
        second=_place(log, shown.second),
        missing_edge=missing_edge(shown.first, shown.second),
        fix=_named_fix(log, shown, fix_for(races, in_slot=buffer.slot != NONE)),
        count=len({(race.first.seq, race.second.seq) for race in races}),
        ops=(shown.first.seq, shown.second.seq),
    )


def _named_fix(log: OpLog, race: Race, fix: Fix) -> Fix:
    """The fix in the words of a near miss: an edge that is there but stands in the wrong place.

    Either the wait was issued before its event had ever been recorded, or the event it
    waits for was recorded before the operation that it should cover.
    """
    first, second = race.first, race.second
    kind = OpKind.SYNC_OP if second.stream == HOST else OpKind.WAIT
    for op in reversed(log.ops[: second.seq]):
        if op.kind is not kind or op.stream != second.stream or op.step != second.step:
            continue
        if op.target == NONE:
            event = op.name.removeprefix("wait ")  # as the host's own waits are called
            return replace(fix, text=Said("fix_wait_behind", event=event))
        record = log.ops[op.target]
        if record.stream == first.stream and record.step == first.step and record.seq < first.seq:
            said = Said("fix_record_behind", event=record.name, name=first.name)
            return replace(fix, text=said)
    return fix


def _place(log: OpLog, op: Op) -> str:
    """An operation as a reader finds it: "h2d tokens of batch 3 on H2D"."""
    code = "place" + ("_graph" if op.graph else "") + ("_batch" if op.step != NONE else "")
    names = {stream.index: stream.name for stream in log.streams}
    stream = names.get(op.stream, "the host")
    return Said(code, name=op.name, graph=op.graph, step=op.step, stream=stream)
