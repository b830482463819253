"""The two accesses of one hazard, framed in the picture, and the edge between them that is missing.

Unlike the marks of `lab.picture.alarms`, which stand for all hazards of a run, this is one pair
from the log of operations; so what the host itself reads and writes is framed, too, where it
happens.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.oplog import HOST, Op
from lab.picture.arrows import Place
from lab.picture.palette import ALARM, EDGE, HAZARD

MARGIN = 0.3
"""Of the stretch between the two accesses, shown before and behind it."""

LEAST_NS = 200_000


def pair_window(pair: Sequence[Op], wall_ns: int) -> tuple[int, int]:
    """A stretch of the run with both accesses in it (ns)."""
    start = min(op.start_ns for op in pair)
    end = max(op.end_ns for op in pair)
    margin = max(LEAST_NS, round(MARGIN * (end - start)))
    return max(0, start - margin), min(wall_ns, end + margin)


def same_pair(pair: Sequence[Op], ops: Sequence[Op]) -> list[Op]:
    """The operations of another run of the same work that stand for these two."""
    wanted = [(op.name, op.step, op.kind) for op in pair]
    found = {(op.name, op.step, op.kind): op for op in reversed(ops)}
    return [found[key] for key in wanted if key in found]


def pair_traces(
    pair: Sequence[Op], places: Mapping[str, Place], missing: bool
) -> list[dict[str, Any]]:
    """A frame around each access; where the edge is `missing`, a dashed arrow in its place."""
    shown = [(op, places[lane_of(op)]) for op in pair if lane_of(op) in places]
    traces = [_frame(op, place, missing) for op, place in shown]
    if missing and len(shown) == 2:
        (first, one), (second, other) = shown
        traces.append(_edge((first.end_ns, one.middle), (second.start_ns, other.middle)))
    return traces


def lane_of(op: Op) -> str:
    """The key of the lane on which an operation is drawn."""
    return "host" if op.stream == HOST else f"0/{op.stream}"


def _frame(op: Op, place: Place, races: bool) -> dict[str, Any]:
    color = ALARM if races else EDGE
    left, right = op.start_ns / 1e6, op.end_ns / 1e6
    return {
        "type": "scatter", "name": HAZARD if races else "ordered", "mode": "lines+markers",
        "hoverinfo": "text", "x": [left, right, right, left, left],
        "y": [place.top, place.top, place.bottom, place.bottom, place.top],
        "hovertext": f"{op.name} · {op.step}", "line": {"color": color, "width": 3},
        "marker": {"size": 4, "color": color},
    }  # fmt: skip


def _edge(start: tuple[int, float], end: tuple[int, float]) -> dict[str, Any]:
    return {
        "type": "scatter", "name": HAZARD, "mode": "lines+markers", "hoverinfo": "skip",
        "x": [start[0] / 1e6, end[0] / 1e6], "y": [start[1], end[1]],
        "line": {"color": ALARM, "width": 2, "dash": "dash"},
        "marker": {"symbol": "arrow", "angleref": "previous", "size": [0, 14], "color": ALARM},
    }  # fmt: skip
