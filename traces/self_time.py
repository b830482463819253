"""What one host thread was doing at each instant: the innermost span that was open.

Self time belongs to the innermost span, so a caller is charged only for what it did
itself. One sweep turns the nested spans of a track into a flat timeline of segments.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pandas as pd

from traces.schema import NONE


class Segment(NamedTuple):
    """From `start_ns` to `end_ns` the span `span_id` counts (NONE: no span)."""

    start_ns: int
    end_ns: int
    span_id: int


class Timeline:
    """Disjoint segments in order of time, with holes."""

    def __init__(self, segments: Iterable[tuple[int, int, int]] = ()) -> None:
        self._segments = list(segments)
        self._ends = [end for _, end, _ in self._segments]

    def until(self, at_ns: int) -> Segment | None:
        """The segment just before `at_ns`, cut off there, or the hole there; None where nothing
        comes before."""
        place = bisect_left(self._ends, at_ns)
        if place < len(self._ends) and self._segments[place][0] < at_ns:
            start, _, span_id = self._segments[place]
            return Segment(start, at_ns, span_id)
        return Segment(self._ends[place - 1], at_ns, NONE) if place else None

    def between(self, start_ns: int, end_ns: int) -> Iterator[Segment]:
        """Segments that cover [start_ns, end_ns) exactly, in order, holes included."""
        now = start_ns
        for at in range(bisect_right(self._ends, start_ns), len(self._segments)):
            start, end, span_id = self._segments[at]
            if start >= end_ns:
                break
            if start > now:
                yield Segment(now, start, NONE)
                now = start
            until = min(end, end_ns)
            yield Segment(now, until, span_id)
            now = until
        if now < end_ns:
            yield Segment(now, end_ns, NONE)


def self_time(spans: pd.DataFrame) -> Timeline:
    """The timeline of one track from its spans, in trace order, indexed by span id.

    Spans that overlap without nesting are tolerated: the one that started last counts.
    """
    ends = (spans["ts_ns"] + spans["dur_ns"]).tolist()
    return Timeline(
        _innermost(zip(spans.index.tolist(), spans["ts_ns"].tolist(), ends, strict=True))
    )


def _innermost(rows: Iterable[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """(start, end, innermost span) from (span id, start, end) sorted by start."""
    segments: list[tuple[int, int, int]] = []
    open_spans: list[tuple[int, int]] = []
    now = 0
    for span_id, start, end in rows:
        while open_spans and open_spans[-1][1] <= start:
            innermost, closes = open_spans.pop()
            if closes > now:
                segments.append((now, closes, innermost))
                now = closes
        if open_spans and start > now:
            segments.append((now, start, open_spans[-1][0]))
        now = start
        open_spans.append((span_id, end))
    while open_spans:
        innermost, closes = open_spans.pop()
        if closes > now:
            segments.append((now, closes, innermost))
            now = closes
    return segments
