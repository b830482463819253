"""The critical path laid over the lanes: on which lane each of its segments is drawn.

A wait is drawn on the lane of what waited; time of which nothing is known, on the lane of what
comes before it.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lab.picture.arrows import lane_keys
from lab.picture.lod import Ints, Layer
from traces import CriticalPath, Trace
from traces.schema import NONE

WORK, WAIT = 0, 1
"""Style numbers of the path's layers."""

MOST_LINKS = 150
"""Where the path changes its lane more often in a window, the changes are not drawn."""


class PathLanes:
    """A critical path as one layer a lane; `span` numbers are places in the path."""

    def __init__(self, trace: Trace, path: CriticalPath) -> None:
        table = np.array([s[:2] for s in path.segments], dtype=np.int64).reshape(-1, 2)
        self._start, self._end = table.T
        span = np.array([s.span_id for s in path.segments], dtype=np.int64)
        tracks = trace.spans["track"].to_numpy()
        works = (s.span_id != NONE and s.resource == tracks[s.span_id] for s in path.segments)
        self._style: Ints = np.where(np.fromiter(works, bool, len(span)), WORK, WAIT)
        self._lane, self._keys = _lanes(trace, span)

    def layer(self, key: str) -> Layer:
        """The segments on one lane."""
        if key not in self._keys:
            return Layer(*(np.empty(0, dtype=np.int64) for _ in range(4)))
        own = np.flatnonzero(self._lane == self._keys.index(key))
        start = self._start[own]
        return Layer(start, self._end[own] - start, self._style[own], own)

    def links(self, window: tuple[int, int], shown: Sequence[str]) -> list[tuple[int, str, str]]:
        """When (ns) the path changes from which lane to which, of those that are shown."""
        first, last = np.searchsorted(self._end, window)
        changes = first + np.flatnonzero(np.diff(self._lane[first : last + 1]))
        found = []
        for place in changes[: MOST_LINKS + 1].tolist():
            one, other = (self._keys[self._lane[at]] for at in (place, place + 1))
            if one in shown and other in shown:
                found.append((int(self._end[place]), one, other))
        return found if len(changes) <= MOST_LINKS else []


def _lanes(trace: Trace, span: NDArray[np.int64]) -> tuple[Ints, list[str]]:
    """The number of each segment's lane, and the lanes' keys."""
    numbers: dict[str, int] = {}
    of, lanes = {NONE: -1}, lane_keys(trace)
    for one in np.unique(span[span != NONE]).tolist():
        of[one] = numbers.setdefault(lanes(one), len(numbers))
    lane = np.array([of[one] for one in span.tolist()], dtype=np.int64)
    known = np.maximum.accumulate(np.where(lane >= 0, np.arange(len(lane)), 0))
    return np.maximum(lane[known], 0), list(numbers)
