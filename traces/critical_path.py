"""The critical path of a run: the one chain of work and waits that its length is made of.

Walked backwards from the event that ends last. Before a device operation comes what ended last of
what it needed (`path_links`); before host work comes the same thread's work, or where that thread
did nothing the thread of its process that worked last; before a wait of the host comes the device
operation that ended it. A stretch that nothing recorded explains is a wait of its own with a name
that says so, never skipped: the segments of a path add up to the run.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from traces.gap import CANNOT_TELL, LATENCY, UNTRACED
from traces.path_links import ASSUMED, DeviceLinks, HandOvers, HostLinks
from traces.schema import NONE, Trace
from traces.self_time import Timeline, self_time
from traces.step_parts import QUEUE_FULL_NS

WAKE_UP = "wake-up of the host"
HELD_UP = f"{CANNOT_TELL} (held up on the device)"
NOT_RECORDED = f"{CANNOT_TELL} (nothing recorded leads here)"

IDLE_NS = 10_000
"""A thread that does nothing for as long waits for another one that works meanwhile; for less it
is between two spans of its own work."""

FRAME = re.compile(r"^ProfilerStep#|run_backward|method 'acquire' of|method acquire of")
"""Spans whose own time says nothing of work: marks of steps, and calls that wait for a thread."""

LATE_START_NS = 10_000
"""An operation that starts so long after all it is known to need waited for something else."""

NS_PER_MS = 1e6
MOST_LISTED = 1_000


class PathSegment(NamedTuple):
    """[start_ns, end_ns) of the path, on `resource`: the track of the span `span_id` that ran, or
    a wait's name, beside the span that waited (NONE: none). `name` says what ran; `after` what
    ties the segment to the one before it: "launch", "stream", "event", "barrier", "engine" (a
    copy engine was taken), "thread" (program order), "hand-over" (of one thread to another),
    "arrow", "sync", "assumed", or "" where nothing does."""

    start_ns: int
    end_ns: int
    resource: str
    name: str
    span_id: int
    after: str

    @property
    def ns(self) -> int:
        """How long it is."""
        return self.end_ns - self.start_ns


@dataclass(frozen=True)
class CriticalPath:
    """The segments in order of time: each begins where the one before it ends."""

    segments: tuple[PathSegment, ...]

    @property
    def ns(self) -> int:
        """From the first event to the last."""
        return sum(segment.ns for segment in self.segments)

    @property
    def share(self) -> dict[str, float]:
        """The share of the path that each resource and each kind of wait has, the largest first."""
        sums: Counter[str] = Counter()
        for segment in self.segments:
            sums[segment.resource] += segment.ns
        whole = self.ns
        return {name: ns / whole for name, ns in sums.most_common()}


def find_critical_path(trace: Trace) -> CriticalPath:
    """The path through host and devices, from the first event to the last; without segments for
    a trace without work. Annotations and instants are no work."""
    work = pd.concat([trace.host_spans(), trace.gpu_spans()])
    if work.empty:
        return CriticalPath(())
    found: list[PathSegment] = []
    for segment in _Walk(trace, work).backwards():
        if segment.ns:
            found.append(segment)
        elif found:  # what took no time is left out, and what tied it to the one before stays
            found[-1] = found[-1]._replace(after=segment.after)
    return CriticalPath(tuple(reversed(found)))


def as_json(path: CriticalPath) -> dict[str, Any]:
    """The path as JSON holds it: its longest segments, in order of time, and all shares."""
    longest = sorted(path.segments, key=lambda segment: -segment.ns)[:MOST_LISTED]
    begin = path.segments[0].start_ns if path.segments else 0
    return {
        "ms": path.ns / NS_PER_MS,
        "count": len(path.segments),
        "segments": [
            {
                "at_ms": (segment.start_ns - begin) / NS_PER_MS,
                "ms": segment.ns / NS_PER_MS,
                "resource": segment.resource,
                "name": segment.name,
                "span": segment.span_id,
                "after": segment.after,
            }
            for segment in sorted(longest)
        ],
        "share": path.share,
    }


class _Place(NamedTuple):
    """Where the walk stands: before `now_ns`, on a device operation or on a host thread."""

    now_ns: int
    op: int
    track: str


class _Walk:
    """One walk; `work` is all that can lie on a path."""

    def __init__(self, trace: Trace, work: pd.DataFrame) -> None:
        spans = trace.spans
        self._start = spans["ts_ns"].to_numpy()
        self._end = self._start + spans["dur_ns"].to_numpy()
        self._name, self._track, self._kind = (
            spans[column].to_numpy() for column in ("name", "track", "kind")
        )
        self._first = int(work["ts_ns"].min())
        ids = work.index.to_numpy()
        self._by_end = ids[np.lexsort((ids, self._end[ids]))]
        self._ends = self._end[self._by_end]
        self._on_device = set(trace.gpu_spans().index)
        self._links = DeviceLinks(trace)
        self._host_links = HostLinks(trace)
        host = trace.host_spans()
        self._threads = host.groupby("track")
        self._hand_overs = HandOvers(host)
        self._timelines: dict[str, Timeline] = {}
        self._seen: set[tuple[int, str]] = set()
        """Where the walk has been since time last moved."""

    def backwards(self) -> Iterator[PathSegment]:
        """The segments, the last one first."""
        place = self._at_end_of(int(self._by_end[-1]))
        while place.now_ns > self._first:
            device = place.op != NONE
            before, segments = self._operation(place) if device else self._thread(place)
            yield from segments
            if before.now_ns < place.now_ns:
                self._seen.clear()
            elif before[1:] in self._seen:
                before, gap = self._nothing_known(before.now_ns, NONE)
                yield gap
            self._seen.add(before[1:])
            place = before

    def _at_end_of(self, span: int, at_ns: int | None = None) -> _Place:
        """Standing on a span, at its end unless another instant is given."""
        now = int(self._end[span]) if at_ns is None else at_ns
        if span in self._on_device:
            return _Place(now, span, "")
        return _Place(now, NONE, self._track[span])

    def _operation(self, place: _Place) -> tuple[_Place, list[PathSegment]]:
        """From a device operation to what it waited for last."""
        op = place.op
        start = int(self._start[op])
        link = self._links.before(op)
        tied = "" if link is None else link.how
        ran = PathSegment(start, place.now_ns, self._track[op], self._name[op], op, tied)
        if link is None:
            before, gap = self._nothing_known(start, op)
            return before, [ran, gap]
        late = start - link.end_ns
        is_known = link.how != ASSUMED and late < LATE_START_NS
        wait = LATENCY if is_known or self._links.explain_all else HELD_UP
        waited = PathSegment(link.end_ns, start, wait, wait, op, tied)
        return self._at_end_of(link.span_id, link.end_ns), [ran, waited]

    def _thread(self, place: _Place) -> tuple[_Place, list[PathSegment]]:
        """From an instant of a host thread to what the thread did before, or waited for."""
        now, track = place.now_ns, place.track
        segment = self._timeline(track).until(now)
        if segment is None or segment.span_id == NONE:
            since = self._first - 1 if segment is None else segment.start_ns
            return self._untraced(now, track, since)
        start, _, span = segment
        if FRAME.search(self._name[span]) and (handed := self._handed_over(now, track, start)):
            return handed
        if self._waits(span) and (op := self._ended_by(span, now)) != NONE:
            end = int(self._end[op])
            woke = PathSegment(end, now, WAKE_UP, self._name[span], span, "sync")
            return self._at_end_of(op), [woke]
        ran = PathSegment(start, now, track, self._name[span], span, "thread")
        return _Place(start, NONE, track), [ran]

    def _untraced(self, now: int, track: str, since: int) -> tuple[_Place, list[PathSegment]]:
        """Before an instant at which the thread had done nothing since `since`: where an arrow
        comes from another thread's work, that; else the thread that handed over to this one; else
        time of which nothing is known."""
        source = self._host_links.into(track, now, since)
        if source != NONE:
            end = int(self._end[source])
            waited = PathSegment(end, now, UNTRACED, UNTRACED, NONE, "arrow")
            return self._at_end_of(source), [waited]
        if handed := self._handed_over(now, track, since):
            return handed
        if since < self._first:
            before, gap = self._nothing_known(now, NONE)
            return before, [gap]
        hole = PathSegment(since, now, UNTRACED, UNTRACED, NONE, "thread")
        return _Place(since, NONE, track), [hole]

    def _handed_over(
        self, now: int, track: str, since: int
    ) -> tuple[_Place, list[PathSegment]] | None:
        """To the thread whose work ended last before `now`, if this one has done nothing since
        `since`, for long or from its beginning; None where none did anything meanwhile."""
        if self._first <= since and now - since < IDLE_NS:
            return None
        other = self._hand_overs.into(track, now, since)
        if not other:
            return None
        worked = self._timeline(other).until(now)
        end = worked.start_ns if worked and worked.span_id == NONE else now
        waited = PathSegment(end, now, UNTRACED, UNTRACED, NONE, "hand-over")
        return _Place(end, NONE, other), [waited]

    def _nothing_known(self, now: int, waiting: int) -> tuple[_Place, PathSegment]:
        """To the latest end of any work before `now`, without a reason."""
        at = int(self._ends.searchsorted(now, side="left")) - 1
        end = int(self._ends[at]) if at >= 0 else self._first
        gap = PathSegment(end, now, NOT_RECORDED, NOT_RECORDED, waiting, "")
        before = self._at_end_of(int(self._by_end[at])) if at >= 0 else _Place(end, NONE, "")
        return before, gap

    def _waits(self, span: int) -> bool:
        """Whether a host span waits for the device: a call that synchronises, or a launch so long
        that the queue was full."""
        kind = self._kind[span]
        return kind == "sync" or (
            kind == "launch" and bool(self._end[span] - self._start[span] >= QUEUE_FULL_NS)
        )

    def _ended_by(self, wait: int, now: int) -> int:
        """The operation whose end lets a wait go on at `now`; NONE where none ended in it."""
        return self._links.last_ended(int(self._start[wait]), now, wait)

    def _timeline(self, track: str) -> Timeline:
        if track not in self._timelines:
            self._timelines[track] = self_time(self._threads.get_group(track))
        return self._timelines[track]
