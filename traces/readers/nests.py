"""Begin and end events of a file as columns, paired all at once.

The marks of a nest (a thread, or an asynchronous id) are sorted by time. Where every end closes the
span that opened last, as in nearly all files, begin and end alternate on each level of the nest. Of
the other nests `pairing` makes what can be made.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from traces.readers.growing_columns import GrowingColumns
from traces.readers.pairing import Pairing
from traces.schema import NONE

Int64s = NDArray[np.int64]

MARKS = {"nest": np.int32, "name": np.int32, "ts_ns": np.int64, "row": np.int64}


class Mark(NamedTuple):
    """A mark as `Pairing` takes it."""

    name: int | None
    row: int


class Nests:
    """Collects marks in order of the file. `stray_ends` counts ends without a beginning,
    `unclosed` beginnings without an end."""

    def __init__(self) -> None:
        self._marks = GrowingColumns(MARKS)
        self.stray_ends = self.unclosed = 0

    def add(self, nest: Int64s, name: Int64s, ts_ns: Int64s, row: Int64s) -> None:
        """Marks of the numbered nests. `row` is where the span of a beginning stands, NONE for an
        end; `name` is a number too, NONE for an end that closes whatever is innermost."""
        self._marks.extend({"nest": nest, "name": name, "ts_ns": ts_ns, "row": row})

    def ends(self, trace_end_ns: int) -> tuple[Int64s, Int64s]:
        """The rows of all beginnings and when each of their spans ends (ns). An end closes the
        innermost open span of its name and all inside it; what stays open ends with the trace."""
        order = np.lexsort((self._marks["ts_ns"], self._marks["nest"]))
        nest, name, ts, row = (self._marks[column][order] for column in MARKS)
        level = _levels(nest, row)
        by_level = np.lexsort((level, nest))
        begin, end = by_level[:-1], by_level[1:]
        pairs = (
            (row[begin] != NONE) & (row[end] == NONE)
            & (nest[begin] == nest[end]) & (level[begin] == level[end])
        )  # fmt: skip
        closes = np.zeros(len(row), dtype=bool)
        closes[end[pairs & ((name[end] == NONE) | (name[end] == name[begin]))]] = True
        is_odd = np.isin(nest, nest[(row == NONE) & ~closes])
        pairs &= ~is_odd[begin]
        ends = np.full(len(row), trace_end_ns, dtype=np.int64)
        ends[begin[pairs]] = ts[end[pairs]]
        regular = (row != NONE) & ~is_odd
        self.unclosed += int(regular.sum() - pairs.sum())
        odd = self._odd(nest[is_odd], name[is_odd], ts[is_odd], row[is_odd], trace_end_ns)
        return np.append(row[regular], odd[0]), np.append(ends[regular], odd[1])

    def _odd(
        self, nest: Int64s, name: Int64s, ts: Int64s, row: Int64s, trace_end_ns: int
    ) -> tuple[Int64s, Int64s]:
        """The same for nests with ends that do not close what is innermost."""
        pairing: Pairing[int, Mark] = Pairing()
        columns = (column.tolist() for column in (nest, name, ts, row))
        for key, called, at, place in zip(*columns, strict=True):
            mark = Mark(None if called == NONE else called, place)
            pairing.add(key, at, place != NONE, mark)
        paired = list(pairing.spans(trace_end_ns))
        self.stray_ends += pairing.stray_ends
        self.unclosed += pairing.unclosed
        rows = np.array([span.event.row for span in paired], dtype=np.int64)
        return rows, np.array([span.end_ns for span in paired], dtype=np.int64)


def _levels(nest: Int64s, row: Int64s) -> Int64s:
    """How deep the span of each mark lies in its nest; marks sorted by nest and time."""
    step = np.where(row != NONE, 1, -1)
    open_behind = np.cumsum(step)
    first = np.flatnonzero(np.diff(nest, prepend=NONE))
    before = np.repeat(open_behind[first] - step[first], np.diff(np.append(first, len(nest))))
    levels: Int64s = open_behind - before + (row == NONE)
    return levels
