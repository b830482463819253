"""The selected span in the picture: a frame around it, and its flows however crowded it is."""

from collections.abc import Mapping
from typing import Any

from lab.arrows import Place, Segment, arrows, ends, lane_keys
from lab.figures import INK
from lab.legend import EVENT_ARROW
from lab.palette import MARKED
from traces import Trace

MOST_FLOWS = 200
"""A launch of a graph leads to hundreds of kernels; so many arrows are drawn."""


def mark_traces(
    trace: Trace, span: int, places: Mapping[str, Place], window: tuple[int, int]
) -> list[dict[str, Any]]:
    """A frame around the span, if its lane is shown, and an arrow for each of its flows that
    leads to a lane that is shown. What lies outside of the window is drawn up to its edge."""
    lanes = lane_keys(trace)
    place = places.get(lanes(span))
    spans = trace.spans
    start, dur = int(spans["ts_ns"][span]), int(spans["dur_ns"][span])
    if place is None or start > window[1] or start + dur < window[0]:
        return []
    drawn = [_frame(max(start, window[0]), min(start + dur, window[1]), place)]
    flows = trace.flows[(trace.flows["src"] == span) | (trace.flows["dst"] == span)]
    segments: list[Segment] = []
    for source, target in flows[["src", "dst"]].head(MOST_FLOWS).itertuples(index=False):
        one, other = places.get(lanes(source)), places.get(lanes(target))
        if one and other and one is not other:
            y0, y1 = ends(one, other)
            begin = int(spans["ts_ns"][source] + spans["dur_ns"][source])
            end = int(spans["ts_ns"][target])
            x0, x1 = (min(max(at, window[0]), window[1]) / 1e6 for at in (begin, end))
            segments.append((x0, y0, x1, y1))
    if segments:
        drawn.append(arrows(EVENT_ARROW, segments, INK, "solid", 9))
    return drawn


def _frame(start_ns: int, end_ns: int, place: Place) -> dict[str, Any]:
    left, right = start_ns / 1e6, end_ns / 1e6
    return {
        "type": "scatter", "name": MARKED, "mode": "lines", "hoverinfo": "skip",
        "x": [left, right, right, left, left],
        "y": [place.top, place.top, place.bottom, place.bottom, place.top],
        "line": {"color": INK, "width": 3},
    }  # fmt: skip
