"""Counters as stepped lines on a time axis: the queue, tokens in flight, KV blocks, copies.

Each is a strip under the lanes, on their own axis, so that a rise can be read against what
was running. At most some MAX_POINTS of each are sent, with the highest and the lowest value
of every stretch among them. Scales are those of the whole run, whatever the window.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.catalogue import t, t_or
from lab.escape import for_plotly
from lab.picture.figures import FONT_PX, INK
from lab.picture.palette import EDGE, FAINT
from lab.units import rounded, short_bytes
from traces import Trace

BINS = 300
MAX_POINTS = 4 * BINS + 2
STRIP_PX = 54
SPACE_PX = 8
"""Free space above a strip."""

HEADROOM = 1.7
"""A strip reaches this many times the peak: its name stands above the line."""


@dataclass(frozen=True, eq=False)
class Counter:
    """One counter: its name, its values in the window (x in ms), its peak over the run."""

    name: str
    ms: NDArray[np.float64]
    values: NDArray[np.float64]
    peak: float

    @property
    def in_bytes(self) -> bool:
        """True for a number of bytes, which is written with a unit; others count things."""
        return self.name.startswith("bytes ")

    @property
    def texts(self) -> list[str]:
        """Its values as text."""
        return [self.text(value) for value in self.values.tolist()]

    def held(self, end_ms: float) -> "Counter":
        """The same with its last value held until `end_ms`: it stays until another is set."""
        if not len(self.ms) or self.ms[-1] >= end_ms:
            return self
        ms, values = np.append(self.ms, end_ms), np.append(self.values, self.values[-1])
        return replace(self, ms=ms, values=values)

    def text(self, value: float) -> str:
        """A value of it as text."""
        return short_bytes(value) if self.in_bytes else rounded(value, 6)


def counters_in(trace: Trace, window: tuple[int, int]) -> list[Counter]:
    """Every counter of a trace as it goes over the window, few enough points to draw."""
    found = []
    for name, points in trace.counters.groupby("name", sort=False):
        ns, values = points["ts_ns"].to_numpy(), points["value"].to_numpy(dtype=float)
        first = max(0, int(np.searchsorted(ns, window[0], "right")) - 1)
        last = int(np.searchsorted(ns, window[1], "right")) + 1
        kept = first + thinned(ns[first:last], values[first:last], window)
        found.append(Counter(str(name), ns[kept] / 1e6, values[kept], float(values.max())))
    return found


def thinned(
    ns: NDArray[np.int64], values: NDArray[np.float64], window: tuple[int, int]
) -> NDArray[np.int64]:
    """Positions of the points to draw: all, or the first, last, highest and lowest of each of
    BINS equal stretches of the window."""
    if len(ns) <= MAX_POINTS:
        return np.arange(len(ns))
    stretch = np.clip((ns - window[0]) * BINS // max(1, window[1] - window[0]), -1, BINS)
    begins = np.flatnonzero(np.diff(stretch, prepend=-2))
    ends = np.append(begins[1:], len(ns)) - 1
    by_value = np.lexsort((values, stretch))
    kept: NDArray[np.int64] = np.unique([begins, ends, by_value[begins], by_value[ends]])
    return kept


def add_strips(figure: dict[str, Any], counters: Sequence[Counter], lanes_px: int) -> None:
    """Put the counters below a timeline whose lanes are `lanes_px` high, on its time axis."""
    if not counters:
        return
    layout = figure["layout"]
    total_px = lanes_px + len(counters) * STRIP_PX
    layout["height"] += total_px - lanes_px
    layout["yaxis"]["domain"] = [1 - lanes_px / total_px, 1]
    for number, counter in enumerate(counters):
        top_px = lanes_px + number * STRIP_PX + SPACE_PX
        axis = f"y{number + 2}"
        bottom = 1 - (top_px + STRIP_PX - SPACE_PX) / total_px
        domain = max(0.0, bottom), 1 - top_px / total_px
        layout[f"yaxis{number + 2}"] = counter_axis(counter, domain, counter.peak, HEADROOM)
        layout["annotations"] = [*layout["annotations"], counter_name(counter, axis)]
        figure["data"].append(_line(counter.held(layout["xaxis"]["range"][1]), axis))
    layout["xaxis"]["anchor"] = f"y{len(counters) + 1}"


def counter_axis(
    counter: Counter, domain: tuple[float, float], top: float, headroom: float
) -> dict[str, Any]:
    """The y axis of a counter's field, from nothing to `headroom` times the value `top`."""
    top = top or 1.0
    return {
        "domain": list(domain),
        "range": [0, top * headroom],
        "fixedrange": True,
        "tickmode": "array",
        "tickvals": [0, top],
        "ticktext": ["0", counter.text(top)],
        "tickfont": {"size": FONT_PX - 2, "color": INK},
        "gridcolor": FAINT,
        "zeroline": False,
    }


def counter_name(counter: Counter, axis: str) -> dict[str, Any]:
    """A counter's name and peak at the top left of its field."""
    told = t("counters.name", name=_told(counter), peak=counter.text(counter.peak))
    return {
        "text": for_plotly(told, 120),
        "xref": "paper", "x": 0, "xanchor": "left",
        "yref": f"{axis} domain", "y": 1, "yanchor": "top",
        "showarrow": False, "font": {"size": FONT_PX - 1},
    }  # fmt: skip


def _told(counter: Counter) -> str:
    """What a counter is called in the words of the interface."""
    return t_or(f"counter.{counter.name}", counter.name)


def _line(counter: Counter, axis: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": f"counter {counter.name}",
        "x": counter.ms,
        "y": counter.values,
        "text": counter.texts,
        "yaxis": axis,
        "line": {"shape": "hv", "color": EDGE, "width": 1.5},
        "fill": "tozeroy",
        "fillcolor": FAINT,
        "hovertemplate": (
            f"{for_plotly(_told(counter), 40)}: %{{text}}<br>%{{x:.6f}} ms<extra></extra>"
        ),
    }
