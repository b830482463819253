"""What the host does at an instant, and on which line of the loop.

Operations carry the line that called them. Spans of host work carry a name, and the loop opens
each of them in one place.
"""

import ast
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from engine import loop
from engine.checker.happens_before import SYNC_KINDS
from engine.device.api import HostSpan
from engine.oplog import NONE, OpLog

LOOP = Path(loop.__file__)

Doing = Literal["works", "calls", "waits", "over"]


class Place(NamedTuple):
    """The host from `start_ns` to before `end_ns`: it works, calls the device, waits for it, or
    its loop is over. `line` is one of engine/loop.py, NONE where the loop is not running."""

    start_ns: int
    end_ns: int
    doing: Doing
    name: str
    step: int
    line: int


class HostPlaces:
    """The places of a finished run in order; they may lie within each other."""

    def __init__(
        self, log: OpLog, spans: Sequence[HostSpan], queries: Iterable[tuple[int, int]] = ()
    ) -> None:
        places = [*_work(log, spans), *_calls(log)]  # a call stands within the work around it
        places += [
            Place(start, end, "calls", "query", NONE, lines_of("query")[""])
            for start, end in queries
        ]
        places.sort(key=lambda place: (place.start_ns, -place.end_ns))
        self._places = [place for place in places if place.end_ns > place.start_ns]
        self._end_ns = max((place.end_ns for place in self._places), default=0)

    def at(self, at_ns: int) -> Place:
        """The innermost place that holds at an instant."""
        if at_ns >= self._end_ns:
            return Place(self._end_ns, at_ns, "over", "", NONE, NONE)
        index = bisect_right(self._places, at_ns, key=lambda place: place.start_ns)
        inside = (place for place in reversed(self._places[:index]) if place.end_ns > at_ns)
        return next(inside, self._places[max(0, index - 1)])


def _calls(log: OpLog) -> Iterable[Place]:
    for op in log:
        if op.replay in (NONE, op.seq):  # a graph's kernels share one call
            doing: Doing = "waits" if op.kind in SYNC_KINDS else "calls"
            yield Place(op.call_ns, op.issue_ns, doing, op.graph or op.name, op.step, op.line)


def _work(log: OpLog, spans: Sequence[HostSpan]) -> Iterable[Place]:
    """Host work. Work that the loop does not name belongs to the call it is part of."""
    lines = lines_of("host")
    calls = [op.call_ns for op in log]
    for span in spans:
        if not span.waits_for:
            index = bisect_right(calls, span.end_ns - 1)
            called = log.ops[index].line if index < len(calls) else NONE
            line = lines.get(span.name, called)
            yield Place(span.start_ns, span.end_ns, "works", span.name, span.step, line)


@cache
def source() -> tuple[str, ...]:
    """The lines of engine/loop.py; the first one is line 1."""
    return tuple(LOOP.read_text("utf-8").splitlines())


@cache
def lines_of(method: str) -> dict[str, int]:
    """Where the loop calls a method of this name: the line, by its first argument ("" if none)."""
    found = {}
    for node in ast.walk(ast.parse("\n".join(source()))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            first = node.args[0] if node.args else ast.Constant("")
            if node.func.attr == method and isinstance(first, ast.Constant):
                found[str(first.value)] = node.lineno
    return found
