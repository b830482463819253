"""The order that racing operations lack: as a line of the loop, and as edges.

A fix lists the edges (operation A before operation B, so many steps later) that
would order every race of one group. Edges go by name and distance in steps, so a
device can apply them while it runs, and `engine.checker.repair` in a recorded log.

What this module does not do: find races (`engine.checker.races`), or apply anything.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from engine.checker.races import Race, RaceKind
from engine.oplog import HOST, NONE, Op, OpKind
from engine.said import Said

How = Literal["wait_event", "synchronize", "finish_first"]

ROLES = {
    OpKind.H2D: "h2d",
    OpKind.KERNEL: "compute",
    OpKind.D2H: "d2h",
    OpKind.HOST_READ: "host read",
    OpKind.HOST_WRITE: "host write",
}
_ACTORS = {
    OpKind.H2D: "the copy",
    OpKind.KERNEL: "the first kernel",
    OpKind.D2H: "the copy",
    OpKind.HOST_READ: "the host",
    OpKind.HOST_WRITE: "the host",
}


@dataclass(frozen=True, slots=True)
class Edge:
    """Operation `after` of step n - steps_back must be over before `before` of step n begins.

    Both are names of operations; where a step has several of one name, the last `after` of
    each stream counts and every `before` waits. `steps_back` is 0, and steps are not
    compared, where an operation carries no step. `how`: the stream of `before`
    waits for an event ("wait_event"), the host does ("synchronize"), or `after`
    is issued too late and must come first ("finish_first").
    """

    after: str
    before: str
    steps_back: int
    how: How


@dataclass(frozen=True, slots=True)
class Fix:
    """One line for the loop (`text`) and the edges it stands for, nearest steps first."""

    text: Said
    edges: tuple[Edge, ...]

    @property
    def how(self) -> How:
        return self.edges[0].how

    @property
    def after(self) -> str:
        return self.edges[0].after

    @property
    def before(self) -> str:
        return self.edges[0].before

    @property
    def steps_back(self) -> int:
        return self.edges[0].steps_back


def fix_for(races: Iterable[Race], in_slot: bool) -> Fix:
    """The fix that orders all `races`, which share kind, resource and missing edge.

    `in_slot` says whether the resource rotates through slots (for the wording).
    """
    pairs = sorted(_covering_pairs(races), key=lambda pair: _steps_back(*pair[:2]))
    edges = dict.fromkeys(Edge(a.name, b.name, _steps_back(a, b), _how(a, b)) for a, b, _ in pairs)
    first, second, kind = pairs[0]
    return Fix(_text(first, second, kind, in_slot), tuple(edges))


def _covering_pairs(races: Iterable[Race]) -> list[tuple[Op, Op, RaceKind]]:
    """Few pairs (a, b) such that ordering a before b orders every race.

    An edge from a later operation of a stream covers the earlier ones, and one to
    an earlier operation covers the later ones. So the first racing operation of a
    step waits for the last one issued before it that races with the same step. What
    is issued later still gets an edge of its own.
    """
    pairs: list[tuple[Op, Op, RaceKind]] = []
    reach: dict[tuple[int, int], int] = {}
    latest: dict[tuple[int, int, int, int], int] = {}
    for race in sorted(races, key=lambda race: (race.second.seq, -race.first.seq)):
        a, b = race.first, race.second
        streams = (a.stream, b.stream)
        if a.seq <= reach.get(streams, NONE):
            continue
        reach[streams] = a.seq
        steps = (*streams, a.step, b.step)
        index = latest.get(steps)
        if index is not None and a.seq < pairs[index][1].seq:
            pairs[index] = (a, pairs[index][1], race.kind)
        else:
            latest[steps] = len(pairs)
            pairs.append((a, b, race.kind))
    return pairs


def _steps_back(a: Op, b: Op) -> int:
    return b.step - a.step if NONE not in (a.step, b.step) else 0


def _how(a: Op, b: Op) -> How:
    if a.seq > b.seq:
        return "finish_first"
    return "synchronize" if b.stream == HOST else "wait_event"


def _text(a: Op, b: Op, kind: RaceKind, in_slot: bool) -> Said:
    """The line of the loop that is missing, or the order in which to issue two batches."""
    role, how = ROLES[b.kind], _how(a, b)
    verb = "reads" if kind == "RAW" else "overwrites"
    if how == "finish_first":
        if a.stream != HOST:
            return Said("fix_enqueue", earlier=ROLES[a.kind], role=role, verb=verb)
        thing = "host slot" if in_slot else "memory"
        act = "launching the kernels" if b.kind is OpKind.KERNEL else "enqueueing the copy"
        return Said("fix_finish", thing=thing, act=act)
    if kind == "UAF":
        return Said("fix_record_stream", role=ROLES[a.kind])
    if a.graph and b.graph and a.stream != b.stream:
        return Said("fix_graph")
    owner = "batch"
    if _steps_back(a, b) > 0:
        owner = "previous_in_slot" if in_slot else "previous_user"
    done = f"{owner}.{ROLES[a.kind]}_done"
    if how == "wait_event":
        return Said("fix_wait", role=role, done=done, actor=_ACTORS[b.kind], verb=verb)
    act = "rewrites its source" if kind == "WAR" else f"{verb} it"
    return Said("fix_synchronize", done=done, act=act)
