"""What each event of a trace comes after: the links that a critical path is walked along.

A device operation comes after its launch, its stream's operation before, what it waited for
(events, barriers), and for a copy the copy whose engine it took over. What ended last counts.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from traces.schema import COPY_KINDS, NONE, Trace

LAUNCH, EVENT, BARRIER, STREAM, ENGINE = "launch", "event", "barrier", "stream", "engine"
ASSUMED = "assumed"
ORDER = (ENGINE, LAUNCH, EVENT, BARRIER, STREAM)
"""Where two ended together the later in this list counts."""

NEAR_NS = 10_000
"""So shortly before an operation must another stream's end to be taken for what it waited for."""

Int64s = NDArray[np.int64]


class Link(NamedTuple):
    """`span_id` ended (or was under way) at `end_ns`, and what comes after it does so by `how`."""

    end_ns: int
    how: str
    span_id: int


class _Edges:
    """Flow edges by where they end: a sorted column instead of a list for every span."""

    def __init__(self, source: Int64s, target: Int64s, kind: NDArray[np.object_]) -> None:
        order = target.argsort(kind="stable")
        self._source, self.target, self._kind = source[order], target[order], kind[order]

    def into(self, span: int) -> list[tuple[int, str]]:
        """(source, kind) of the edges that end at a span."""
        first, behind = self.target.searchsorted([span, span + 1])
        return list(
            zip(self._source[first:behind].tolist(), self._kind[first:behind].tolist(), strict=True)
        )


def _edges(trace: Trace, *kinds: str) -> _Edges:
    flows = trace.flows[trace.flows["kind"].isin(kinds)]
    return _Edges(*(flows[name].to_numpy() for name in ("src", "dst", "kind")))


class DeviceLinks:
    """The links of device operations. `explain_all`: the trace says all that one waited for."""

    def __init__(self, trace: Trace) -> None:
        self.explain_all = trace.is_engine_dump
        self._start = trace.spans["ts_ns"].to_numpy()
        self._end = self._start + trace.spans["dur_ns"].to_numpy()
        self._step = trace.spans["step"].to_numpy()
        self._edges = _edges(trace, LAUNCH, EVENT, BARRIER, STREAM)
        ops = trace.gpu_spans()
        self._ops = ops.index.to_numpy()
        self._work = {*trace.host_spans().index.tolist(), *self._ops.tolist()}
        device, stream = ops["device"].to_numpy(), ops["stream"].to_numpy()
        self._device = dict(zip(self._ops.tolist(), device.tolist(), strict=True))
        order = np.lexsort((self._ops, stream, device))
        together = (np.diff(stream[order]) == 0) & (np.diff(device[order]) == 0)
        lane = self._ops[order]
        self._previous = dict(
            zip(lane[1:][together].tolist(), lane[:-1][together].tolist(), strict=True)
        )
        copies = self._ops[ops["kind"].isin(COPY_KINDS)].tolist()
        self._copies = set(copies)
        self._copy_ending = {(self._device[copy], int(self._end[copy])): copy for copy in copies}
        self._by_end = self._ops[np.lexsort((self._ops, self._end[self._ops]))]
        self._ends = self._end[self._by_end]

    def before(self, op: int) -> Link | None:
        """What `op` came after, or None where nothing is known."""
        at = int(self._start[op])
        found = [
            Link(min(int(self._end[source]), at), how, source)
            for source, how in self._edges.into(op)
            if source in self._work and self._precedes(source, at, how == LAUNCH)
        ]
        previous = self._previous.get(op, NONE)
        if previous != NONE:  # it may overlap the next one: programmatic dependent launch
            found.append(Link(min(int(self._end[previous]), at), STREAM, previous))
        taken = self._copy_ending.get((self._device[op], at), op)
        if op in self._copies and taken != op:
            found.append(Link(at, ENGINE, taken))
        latest = max(found, key=lambda link: (link.end_ns, ORDER.index(link.how)), default=None)
        if not self.explain_all and latest is not None and at - latest.end_ns >= NEAR_NS:
            return self._assumed(op, at) or latest
        return latest

    def _precedes(self, source: int, at: int, may_run_on: bool) -> bool:
        """Whether a span can be what another one at `at` came after: it has ended, or, for a call
        that may return later, begun."""
        return bool(self._start[source] <= at if may_run_on else self._end[source] <= at)

    def _assumed(self, op: int, at: int) -> Link | None:
        """What ended just before `op` on another stream of its device: profilers seldom record
        the waits between streams."""
        place = int(self._ends.searchsorted(at, side="right")) - 1
        while place >= 0 and self._ends[place] > at - NEAR_NS:
            other = int(self._by_end[place])
            if other != op and self._device[other] == self._device[op] and self._start[other] < at:
                return Link(int(self._ends[place]), ASSUMED, other)
            place -= 1
        return None

    def last_ended(self, since: int, until: int, wait: int) -> int:
        """The operation that ended last in (since, until], of the step that the wait is for where
        it says one; NONE for none."""
        place = int(self._ends.searchsorted(until, side="right")) - 1
        step = int(self._step[wait])
        latest = NONE
        while place >= 0 and self._ends[place] > since:
            op = int(self._by_end[place])
            if step in (NONE, self._step[op]):
                return op
            latest = op if latest == NONE else latest
            place -= 1
        return latest


class HostLinks:
    """Arrows that lead to a host thread's work from elsewhere."""

    def __init__(self, trace: Trace) -> None:
        spans = trace.spans
        self._end = (spans["ts_ns"] + spans["dur_ns"]).to_numpy()
        self._edges = _edges(trace, "other")
        targets = np.unique(self._edges.target)
        work = trace.host_spans().index
        targets = targets[np.isin(targets, work)]
        self._work = set(work) | set(trace.gpu_spans().index)
        starts = zip(spans["track"][targets], spans["ts_ns"][targets], targets, strict=True)
        self._starting = {(track, start): int(span) for track, start, span in starts}

    def into(self, track: str, at_ns: int, since_ns: int) -> int:
        """The source of an arrow to what the thread began at `at_ns`, of those that ended after
        `since_ns` the last; NONE for none."""
        span = self._starting.get((track, at_ns), NONE)
        if span == NONE:
            return NONE
        sources = [source for source, _ in self._edges.into(span) if source in self._work]
        known = [source for source in sources if since_ns < self._end[source] <= at_ns]
        return max(known, key=lambda source: int(self._end[source]), default=NONE)


class HandOvers:
    """Which thread of a process worked last when another one of it took up its work: profilers
    seldom record what a thread waited for that did nothing."""

    def __init__(self, host: pd.DataFrame) -> None:
        tracks = host.groupby("track")
        pid = tracks["pid"].first()
        has_others = pid.duplicated(keep=False)
        self._pid = pid[has_others].to_dict()
        self._marks = {
            pid: _marks(rows)
            for pid, rows in host[host["track"].isin(list(self._pid))].groupby("pid")
        }

    def into(self, track: str, at_ns: int, since_ns: int) -> str:
        """The other thread that last had begun or ended anything in (`since_ns`, `at_ns`]; "" for
        none."""
        if track not in self._pid:
            return ""
        times, tracks = self._marks[self._pid[track]]
        place = int(times.searchsorted(at_ns, side="right")) - 1
        while place >= 0 and times[place] > since_ns:
            if tracks[place] != track:
                return str(tracks[place])
            place -= 1
        return ""


def _marks(rows: pd.DataFrame) -> tuple[Int64s, NDArray[np.object_]]:
    """When a process's spans have begun (a moment after they begin) and end, in order, and on
    which thread. Those without a length are no work."""
    rows = rows[rows["dur_ns"] > 0]
    starts = rows["ts_ns"].to_numpy()
    times = np.concatenate([starts + 1, starts + rows["dur_ns"].to_numpy()])
    order = times.argsort(kind="stable")
    return times[order], np.tile(rows["track"].to_numpy(), 2)[order]
