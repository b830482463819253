"""The lanes of a trace: which spans are drawn on which strip, from top to bottom.

Runs of this project's engine get their host lane (steps, waits over them, launches as thin
marks) and one lane a stream. Other traces get, for each device, a lane of idle time and one
a stream, then their host threads with nested calls below each other. Nothing is drawn here.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from lab.catalogue import t
from lab.picture.lod import Ints, Layer
from lab.picture.palette import STYLE_NUMBER, style_name
from traces import Trace
from traces.intervals import Intervals
from traces.schema import HOST

MAX_NESTING = 4
"""Nested host calls deeper than this are not drawn."""

LAUNCH_HEIGHT = 0.38

OWN = {
    "host": "lane.host", "compute": "lane.compute", "compute 2": "lane.compute_2",
    "default": "lane.default",
}  # fmt: skip
"""Tracks of this engine whose names are words, and where the catalogue has them."""

DRAWN = ("ts_ns", "dur_ns", "kind", "slot")
"""Columns that a layer is made of: filtering all thirteen takes three times as long."""

GAP_STYLE = STYLE_NUMBER["gap"]
LAUNCH_STYLE = STYLE_NUMBER["launch"]


@dataclass(frozen=True, eq=False)
class Strip:
    """A layer and the part of the lane's height it takes (0 is the bottom, 1 the top).
    `is_gap`: its `span` numbers count the trace's gaps, not its spans."""

    layer: Layer
    bottom: float = 0.0
    top: float = 1.0
    is_gap: bool = False


@dataclass(frozen=True, eq=False)
class Lane:
    """One row of the picture. `key` tells it from all others of its trace; `label` is what its
    file calls it, `said` the key of the interface's own name for it; `height` is
    relative; `gpu`: it holds device work; `main`: also shown where there is little room."""

    key: str
    label: str
    strips: tuple[Strip, ...]
    height: float = 1.0
    gpu: bool = False
    main: bool = True
    said: str = ""

    @property
    def name(self) -> str:
        """What it is called in the language of the interface."""
        device, _, stream = self.key.partition("/")
        return t(self.said, device=device, stream=stream) if self.said else self.label

    @property
    def spans(self) -> int:
        """How many spans (or gaps) lie on the lane."""
        return sum(len(strip.layer.start) for strip in self.strips)

    @property
    def launches(self) -> int:
        """How many of them are launches or calls of the runtime."""
        return sum(int((strip.layer.style == LAUNCH_STYLE).sum()) for strip in self.strips)


def make_lanes(trace: Trace, idle: Mapping[int, Intervals]) -> list[Lane]:
    """All lanes of a trace from top to bottom, with its `idle_stretches` drawn in."""
    gaps = gap_layers(idle)
    return _engine_lanes(trace, gaps) if trace.is_engine_dump else _profiler_lanes(trace, gaps)


def own_name(track: str) -> str:
    """What a track of this engine is called in the language of the interface."""
    return t(OWN[track]) if track in OWN else track


def track_name(trace: Trace, track: str) -> str:
    """The same for a track of any trace; those of other programs keep their names."""
    return own_name(track) if trace.is_engine_dump else str(track)


def gap_layers(idle: Mapping[int, Intervals]) -> dict[int, Layer]:
    """The gaps of each device as a layer; its `span` numbers are places in `find_gaps(trace)`."""
    layers, before = {}, 0
    for device, places in idle.items():
        start, end = places.T
        numbers = np.arange(before, before + len(places))
        layers[device] = Layer(start, end - start, np.full(len(places), GAP_STYLE), numbers)
        before += len(places)
    return layers


def span_layer(spans: pd.DataFrame) -> Layer:
    """Spans of a trace as a layer, each in the style of its kind and slot."""
    return Layer(
        spans["ts_ns"].to_numpy(), spans["dur_ns"].to_numpy(), _styles(spans),
        spans.index.to_numpy(),
    )  # fmt: skip


def _styles(spans: pd.DataFrame) -> Ints:
    """The style number of each span: looked up once for each pair of kind and slot."""
    kind, kinds = pd.factorize(spans["kind"])
    slot, slots = pd.factorize(spans["slot"])
    table = [[STYLE_NUMBER[style_name(k, s)] for s in slots.tolist()] for k in kinds.tolist()]
    styles: Ints = np.array(table, dtype=np.int64).reshape(len(kinds), len(slots))[kind, slot]
    return styles


def without(layer: Layer, holes: Layer) -> Layer:
    """The layer with the holes cut out of its spans; holes do not overlap each other.

    A span that only waits disappears, one that waits in its middle becomes two pieces.
    """
    pieces = []
    hole_start, hole_end = holes.start.tolist(), holes.end.tolist()
    rows = zip(
        *(c.tolist() for c in (layer.start, layer.end, layer.style, layer.span)), strict=True
    )
    for start, end, style, span in rows:
        first = bisect_right(hole_end, start)
        for hole in range(first, bisect_left(hole_start, end)):
            pieces.append((start, hole_start[hole] - start, style, span))
            start = hole_end[hole]
        pieces.append((start, end - start, style, span))
    table = np.array([piece for piece in pieces if piece[1] > 0], dtype=np.int64).reshape(-1, 4)
    table = table[np.argsort(table[:, 0], kind="stable")]
    return Layer(*table.T)


def _engine_lanes(trace: Trace, gaps: Mapping[int, Layer]) -> list[Lane]:
    host = trace.host_spans()
    waits = span_layer(host[host["kind"] == "sync"])
    strips = (
        Strip(without(span_layer(host[host["kind"] == "host"]), waits)),
        Strip(waits),
        Strip(span_layer(host[host["kind"] == "launch"]), 0.0, LAUNCH_HEIGHT),
    )
    return [Lane("host", "host", strips, said=OWN["host"]), *_stream_lanes(trace, gaps)]


def _stream_lanes(trace: Trace, gaps: Mapping[int, Layer]) -> list[Lane]:
    """A lane a stream; a device's gaps lie on its first stream with kernels, empty there."""
    lanes = []
    for device in trace.devices:
        ops = trace.gpu_spans(device)
        computing = ops.loc[ops["kind"] == "kernel", "stream"]
        home = int(computing.min()) if len(computing) else int(ops["stream"].min())
        for stream, spans in ops.groupby("stream"):
            strips = [Strip(span_layer(spans))]
            if stream == home and device in gaps:
                strips.insert(0, Strip(gaps[device], is_gap=True))
            track = str(spans["track"].iloc[0])
            lanes.append(
                Lane(
                    f"{device}/{stream}", track, tuple(strips), gpu=True,
                    main=bool(stream == home), said=OWN.get(track, ""),
                )
            )  # fmt: skip
    return lanes


def _profiler_lanes(trace: Trace, gaps: Mapping[int, Layer]) -> list[Lane]:
    lanes = []
    work = trace.gpu_spans()[[*DRAWN, "device", "stream"]]
    for device in sorted(work["device"].unique().tolist()):
        ops = work[work["device"] == device]
        if device in gaps:
            idle = Strip(gaps[device], is_gap=True)
            lanes.append(Lane(f"{device}/idle", "", (idle,), 0.7, gpu=True, said="lane.idle"))
        for stream, spans in ops.groupby("stream"):
            strips = (Strip(span_layer(spans)),)
            lanes.append(Lane(f"{device}/{stream}", "", strips, gpu=True, said="lane.stream"))
    # as a categorical the kinds are compared as numbers, once for all of the comparisons below
    host = trace.spans[[*DRAWN, "track"]].assign(kind=pd.Categorical(trace.spans["kind"]))
    drawn = (trace.spans["device"] == HOST) & (host["kind"] != "instant")
    for track, spans in host[drawn].groupby("track", sort=False):
        lanes.append(_thread_lane(str(track), spans))
    return lanes


def _thread_lane(track: str, spans: pd.DataFrame) -> Lane:
    """A host thread: outer calls on top, what they call below them.

    Frames of Python code surround everything and say little: they are drawn only where a
    thread has nothing else.
    """
    calls = spans[spans["kind"] != "python"]
    spans = spans if calls.empty else calls
    depth = nesting(spans["ts_ns"].to_numpy(), spans["dur_ns"].to_numpy())
    rows = min(MAX_NESTING, int(depth.max()) + 1)
    strips = tuple(
        Strip(span_layer(spans[depth == row]), 1 - (row + 1) / rows, 1 - row / rows)
        for row in range(rows)
    )
    return Lane(track, track, strips, height=0.6 + 0.4 * rows, main=False)


def nesting(start: Ints, dur: Ints) -> Ints:
    """How many earlier spans are still open when each starts; spans sorted as in a trace."""
    number = np.arange(len(start))
    ended = np.searchsorted(np.sort(start + dur), start, side="right")
    # among these may be spans without length that start just then, and come no earlier
    instants = np.append(0, np.cumsum(dur == 0))
    depth: Ints = number - ended
    depth += instants[np.searchsorted(start, start, side="right")] - instants[number]
    return depth
