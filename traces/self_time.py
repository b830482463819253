"""What one host thread was doing at each instant: the innermost span that was open.

Self time belongs to the innermost span, so a caller is charged only for what it did
itself. One sweep turns the nested spans of a track into a flat list of segments.
"""

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from traces.schema import NONE


class Segment(NamedTuple):
    """From `start_ns` to `end_ns` the innermost span was `span_id` (NONE: no span)."""

    start_ns: int
    end_ns: int
    span_id: int


class SelfTime:
    """The flat picture of one track. Spans that overlap without nesting are tolerated:
    the one that started last counts."""

    def __init__(self, spans: pd.DataFrame) -> None:
        """`spans`: the spans of one track, in trace order, indexed by span id."""
        ends = spans["ts_ns"] + spans["dur_ns"]
        rows = zip(spans.index.tolist(), spans["ts_ns"].tolist(), ends.tolist(), strict=True)
        self._segments = list(_flatten(rows))
        self._ends = [segment.end_ns for segment in self._segments]

    def between(self, start_ns: int, end_ns: int) -> Iterator[Segment]:
        """Segments that cover [start_ns, end_ns) exactly, in order, holes included."""
        now = start_ns
        for at in range(bisect_right(self._ends, start_ns), len(self._segments)):
            start, end, span_id = self._segments[at]
            if start >= end_ns:
                break
            if start > now:
                yield Segment(now, start, NONE)
            now = min(end, end_ns)
            yield Segment(max(start, start_ns), now, span_id)
        if now < end_ns:
            yield Segment(now, end_ns, NONE)


def _flatten(rows: Iterator[tuple[int, int, int]]) -> Iterator[Segment]:
    """Segments of the innermost span from (span id, start, end) sorted by start."""
    open_spans: list[tuple[int, int]] = []
    now = 0

    def advance(until: int) -> Iterator[Segment]:
        nonlocal now
        if open_spans and until > now:
            yield Segment(now, until, open_spans[-1][0])
        now = max(now, until)

    for span_id, start, end in rows:
        while open_spans and open_spans[-1][1] <= start:
            yield from advance(open_spans[-1][1])
            open_spans.pop()
        yield from advance(start)
        now = start
        open_spans.append((span_id, end))
    while open_spans:
        yield from advance(open_spans[-1][1])
        open_spans.pop()
