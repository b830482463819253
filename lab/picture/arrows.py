"""Thin arrows between spans: what waited for which event, and which call launched what.

Arrows are for a window narrow enough to follow them; above MAX_ARROWS none of a kind is drawn.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from lab.picture.legend import EVENT_ARROW, LAUNCH_ARROW
from lab.picture.palette import EDGE, FAINT
from traces import Trace

MAX_ARROWS = 60
MAX_LAUNCHES = 18
EVENT_KINDS = ("event", "barrier", "stream")


class Place(Protocol):
    """Where a lane stands (y grows downwards)."""

    @property
    def top(self) -> float: ...

    @property
    def bottom(self) -> float: ...

    @property
    def middle(self) -> float: ...

    @property
    def busy(self) -> bool: ...


Segment = tuple[int, float, int, float]
"""x0, y0, x1, y1: ns and lanes."""


def arrow_traces(
    trace: Trace, places: Mapping[str, Place], window: tuple[int, int]
) -> list[dict[str, Any]]:
    """Scatter traces of the arrows in the window."""
    looks = {LAUNCH_ARROW: (FAINT, "dot", 5), EVENT_ARROW: (EDGE, "solid", 9)}
    found = segments(trace, places, window)
    return [arrows(name, of, *looks[name]) for name, of in found.items()]


def segments(
    trace: Trace, places: Mapping[str, Place], window: tuple[int, int]
) -> dict[str, list[Segment]]:
    """The arrows that lie wholly in the window by their name in the legend, launches below
    events; none of a kind that has too many there."""
    events = _segments(trace, places, window, EVENT_KINDS)
    launches = _segments(trace, places, window, ("launch",))
    found = {}
    if 0 < len(launches) <= MAX_LAUNCHES:
        found[LAUNCH_ARROW] = launches
    if 0 < len(events) <= MAX_ARROWS:
        found[EVENT_ARROW] = events
    return found


def _segments(
    trace: Trace, places: Mapping[str, Place], window: tuple[int, int], kinds: tuple[str, ...]
) -> list[Segment]:
    """Arrows in the window between lanes that are shown: a launch leaves at the end of the
    call, an event at the end of the operation that was waited for."""
    flows = trace.flows[trace.flows["kind"].isin(kinds)]
    start = trace.spans["ts_ns"].to_numpy()
    end = start + trace.spans["dur_ns"].to_numpy()
    src, dst = flows["src"].to_numpy(), flows["dst"].to_numpy()
    inside = (end[src] >= window[0]) & (start[dst] <= window[1])
    if np.count_nonzero(inside) > 4 * MAX_ARROWS:
        return []
    lanes = lane_keys(trace)
    found = []
    for a, b in zip(src[inside].tolist(), dst[inside].tolist(), strict=True):
        one, other = places.get(lanes(a)), places.get(lanes(b))
        if one and other and one is not other:
            y0, y1 = ends(one, other)
            found.append((int(end[a]), y0, int(start[b]), y1))
    return found


def ends(one: Place, other: Place) -> tuple[float, float]:
    """Where an arrow leaves and arrives. Copy lanes are nearly empty, so that it may start in
    their middle and can be followed."""
    down = other.top > one.top
    edge = one.bottom if down else one.top
    return (edge if one.busy else one.middle), (other.top if down else other.bottom)


def lane_keys(trace: Trace) -> Callable[[int], str]:
    """A function from span id to the key of its lane."""
    device, stream = trace.spans["device"].to_numpy(), trace.spans["stream"].to_numpy()
    track, own = trace.spans["track"].to_numpy(), trace.is_engine_dump

    def key(span: int) -> str:
        if device[span] >= 0:
            return f"{device[span]}/{stream[span]}"
        return "host" if own else str(track[span])

    return key


def arrows(
    name: str, segments: list[Segment], color: str, dash: str, head_px: int
) -> dict[str, Any]:
    """One scatter trace of many arrows."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for x0, y0, x1, y1 in segments:
        xs += [x0 / 1e6, x1 / 1e6, None]
        ys += [y0, y1, None]
    return {
        "type": "scatter",
        "name": name,
        "mode": "lines+markers",
        "x": xs,
        "y": ys,
        "hoverinfo": "skip",
        "line": {"color": color, "width": 1.2, "dash": dash},
        "marker": {
            "symbol": "arrow",
            "angleref": "previous",
            "size": [0, head_px, 0] * len(segments),
            "color": color,
            "line": {"width": 0},
        },
    }
