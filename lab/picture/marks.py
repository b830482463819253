"""The selected span in the picture: its frame, and its flows however crowded it is."""

from collections.abc import Mapping
from typing import NamedTuple

from lab.picture.arrows import Place, Segment, ends, lane_keys
from traces import Trace

MOST_FLOWS = 200
"""A launch of a graph leads to hundreds of kernels; so many arrows are drawn."""


class Mark(NamedTuple):
    """A frame (x0, top, x1, bottom; ns and lanes) and an arrow for each flow."""

    frame: Segment
    flows: list[Segment]


def mark_of(
    trace: Trace, span: int, places: Mapping[str, Place], window: tuple[int, int]
) -> Mark | None:
    """The mark of a span; None where its lane is not shown, or not that time. Of its flows those
    that lead to a lane that is shown. What lies outside of the window is drawn up to its edge."""
    lanes = lane_keys(trace)
    place = places.get(lanes(span))
    spans = trace.spans
    start, dur = int(spans["ts_ns"][span]), int(spans["dur_ns"][span])
    if place is None or start > window[1] or start + dur < window[0]:
        return None
    frame = max(start, window[0]), place.top, min(start + dur, window[1]), place.bottom
    flows = trace.flows[(trace.flows["src"] == span) | (trace.flows["dst"] == span)]
    segments: list[Segment] = []
    for source, target in flows[["src", "dst"]].head(MOST_FLOWS).itertuples(index=False):
        one, other = places.get(lanes(source)), places.get(lanes(target))
        if one and other and one is not other:
            y0, y1 = ends(one, other)
            begin = int(spans["ts_ns"][source] + spans["dur_ns"][source])
            end = int(spans["ts_ns"][target])
            x0, x1 = (min(max(at, window[0]), window[1]) for at in (begin, end))
            segments.append((x0, y0, x1, y1))
    return Mark(frame, segments)
