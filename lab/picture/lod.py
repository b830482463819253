"""Level of detail: few rectangles that tell the truth about very many spans.

A rectangle narrower than about two pixels cannot be seen, and a hundred thousand of them
stop the browser. So spans at least `MIN_PX` wide are kept, and a run of narrower ones that
starts in the same stretch of `MIN_PX` becomes one rectangle which knows how long its spans
were busy; it is drawn that high, never as a full block. Busy time is the same at every level.
Gaps are not computed here, and never from rectangles: they come from the raw spans.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

MIN_PX = 2
MAX_RECTS = 4000
PLOT_PX = 1200
"""Assumed width of the drawing: the server does not know the browser's."""


@dataclass(frozen=True, eq=False)
class Layer:
    """Spans on one strip of a lane, sorted by start. int64 ns, style numbers, span ids."""

    start: Ints
    dur: Ints
    style: Ints
    span: Ints

    @property
    def end(self) -> Ints:
        """Where each span ends (ns)."""
        end: Ints = self.start + self.dur
        return end


@dataclass(frozen=True, eq=False)
class Rects:
    """What is drawn of a layer: cut to the window, times in ns. `busy` is the time its
    `count` spans took together, `span` and `style` those of the longest."""

    start: Ints
    end: Ints
    busy: Ints
    count: Ints
    span: Ints
    style: Ints

    def __len__(self) -> int:
        return len(self.start)

    @property
    def share(self) -> NDArray[np.float64]:
        """Busy share of each rectangle, 0 to 1; overlapping spans count as full."""
        width = np.maximum(self.end - self.start, 1)
        return np.where(self.count == 1, 1.0, np.minimum(self.busy / width, 1.0))


def reduce_layers(
    layers: Sequence[Layer], window: tuple[int, int], plot_px: int = PLOT_PX
) -> list[Rects]:
    """One `Rects` a layer, together at most MAX_RECTS where merging can achieve it."""
    ns_per_px = max(1.0, (window[1] - window[0]) / plot_px)
    cuts = [_cut(layer, window) for layer in layers]
    min_ns = ns_per_px * MIN_PX
    while True:
        rects = [_merge(layer, min_ns, window[0]) for layer in cuts]
        if sum(map(len, rects)) <= MAX_RECTS or min_ns > window[1] - window[0]:
            return rects
        min_ns *= 2


def _cut(layer: Layer, window: tuple[int, int]) -> Layer:
    """The spans inside the window (a span of length 0 too), cut to it."""
    stop = np.searchsorted(layer.start, window[1], side="left")
    start, end = layer.start[:stop], layer.end[:stop]
    inside = (end > window[0]) | ((layer.dur[:stop] == 0) & (start >= window[0]))
    first, last = np.maximum(start[inside], window[0]), np.minimum(end[inside], window[1])
    return Layer(first, last - first, layer.style[:stop][inside], layer.span[:stop][inside])


def _merge(layer: Layer, min_ns: float, origin: int) -> Rects:
    """Spans of at least `min_ns` as they are; runs of shorter ones between them as one each."""
    if not len(layer.start):
        return Rects(layer.start, layer.start, layer.dur, layer.dur, layer.span, layer.style)
    wide = layer.dur >= min_ns
    bucket = ((layer.start - origin) // min_ns).astype(np.int64)
    new = np.ones(len(bucket), dtype=bool)
    new[1:] = wide[1:] | wide[:-1] | (bucket[1:] != bucket[:-1])
    first = np.flatnonzero(new)
    busy = np.add.reduceat(layer.dur, first)
    longest = _longest(layer.dur, first)
    return Rects(
        start=layer.start[first],
        end=np.maximum.reduceat(layer.end, first),
        busy=busy,
        count=np.diff(np.append(first, len(bucket))),
        span=layer.span[longest],
        style=layer.style[longest],
    )


def _longest(dur: Ints, first: Ints) -> Ints:
    """Position of the (first) longest span of each group."""
    group = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(dur))))
    longest = np.flatnonzero(dur == np.maximum.reduceat(dur, first)[group])
    firsts: Ints = longest[np.diff(group[longest], prepend=-1) > 0]
    return firsts
