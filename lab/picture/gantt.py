"""The timeline: lanes of one or several runs on one time axis, as a Plotly figure.

`draw` takes panels (a run and the lanes to show of it) and a window in ns and returns the
figure as a dict with what it shows in numbers. It draws what `lod` leaves over and knows no
page; the window comes from outside, because zooming means drawing again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.checker.hazards import Hazard
from engine.oplog import Op
from lab.catalogue import t
from lab.escape import for_plotly, one_line
from lab.picture.accesses import pair_traces
from lab.picture.alarms import alarm_traces
from lab.picture.arrows import arrow_traces
from lab.picture.bars import Bars
from lab.picture.counters import add_strips, counters_in
from lab.picture.figures import FONT_PX, INK, frame, time_axis
from lab.picture.hover import Hover
from lab.picture.labels import shortened
from lab.picture.lanes import Lane
from lab.picture.lod import reduce_layers
from lab.picture.parted import parted_strips
from traces import Gap, Trace

LANE_PX = 34
TITLE = 0.62
"""Height of a panel's title line, in lanes."""

SPACE = 0.16
"""Space below a lane."""

LABEL_PX = 6.6
LONGEST_LABEL = 26


@dataclass(frozen=True, eq=False)
class Panel:
    """One run in the picture. `arrows`: draw what waited for what, where there is room;
    `hazards`: mark them; `counters`: draw them below all lanes. `pair`: two operations to put a
    frame around, with a dashed edge between them where `pair_races`."""

    title: str
    trace: Trace
    gaps: Sequence[Gap]
    lanes: Sequence[Lane]
    arrows: bool = False
    hazards: Sequence[Hazard] = ()
    counters: bool = False
    pair: tuple[Op, ...] = ()
    pair_races: bool = False


@dataclass(frozen=True, eq=False)
class Row:
    """A lane at its place: from `top` down to `bottom`, in lanes."""

    panel: int
    lane: Lane
    top: float
    bottom: float

    @property
    def middle(self) -> float:
        """Half way down."""
        return (self.top + self.bottom) / 2

    @property
    def busy(self) -> bool:
        """Whether the lane is usually full (host, kernels) and not nearly empty (copies)."""
        return self.lane.main

    def strip(self, low: float, high: float) -> tuple[float, float]:
        """(top, bottom) of a part of the lane given from its bottom (0) to its top (1)."""
        height = self.bottom - self.top
        return self.bottom - high * height, self.bottom - low * height


@dataclass(frozen=True, eq=False)
class Gantt:
    """A figure and what it shows: `panels` over a `window` (ns), in `drawn` rectangles, `single` of
    them one span each, out of `spans` spans and gaps."""

    figure: dict[str, Any]
    panels: Sequence[Panel]
    window: tuple[int, int]
    drawn: int
    single: int
    spans: int


def draw(panels: Sequence[Panel], window: tuple[int, int], space: float = SPACE) -> Gantt:
    """The panels, the first on top, over `window` (start, end in ns), with so many lanes' `space`
    below each lane."""
    rows, titles, total = place(panels, space)
    bars = _bars(panels, rows, window)
    lanes_px = round(total * LANE_PX)
    layout = frame(
        height=lanes_px + 50,
        barmode="overlay",
        bargap=0,
        uniformtext={"mode": "hide", "minsize": FONT_PX - 3},
        margin={"l": label_width(rows), "r": 10, "t": 6, "b": 44},
        xaxis=time_axis(window, t("axis.ms"), fixedrange=False),
        yaxis=_lane_axis(rows, total),
        dragmode="select",
        selectdirection="h",
        uirevision=str(window),
        annotations=[_title(panels[n].title, top) for n, top in titles],
        shapes=[_rule(top) for n, top in titles if n],
    )
    traces = [*bars.traces(), *_arrows(panels, rows, window)]
    figure = {"data": traces or [_nothing()], "layout": layout}
    counting = [counters_in(panel.trace, window) for panel in panels if panel.counters]
    add_strips(figure, [counter for panel in counting for counter in panel], lanes_px)
    spans = sum(row.lane.spans for row in rows)
    return Gantt(figure, panels, window, bars.drawn, bars.single, spans)


def place(
    panels: Sequence[Panel], space: float = SPACE
) -> tuple[list[Row], list[tuple[int, float]], float]:
    """Rows from top to bottom, (panel number, top) of each title, and the whole height."""
    rows: list[Row] = []
    titles: list[tuple[int, float]] = []
    y = 0.0
    for number, panel in enumerate(panels):
        if panel.title:
            titles.append((number, y))
            y += TITLE
        for lane in panel.lanes:
            rows.append(Row(number, lane, y, y + lane.height))
            y += lane.height + space
    return rows, titles, y


def _bars(panels: Sequence[Panel], rows: Sequence[Row], window: tuple[int, int]) -> Bars:
    hovers = [Hover(panel.trace, panel.gaps) for panel in panels]
    strips = [(row, strip) for row in rows for strip in row.lane.strips]
    bars = Bars(window)
    reduced = reduce_layers([strip.layer for _, strip in strips], window)
    parts = parted_strips([row.lane for row in rows], reduced)
    for (row, strip), (rects, named) in zip(strips, parts, strict=True):
        place = row.strip(strip.bottom, strip.top)
        bars.add(rects, place, hovers[row.panel], named, strip.is_gap)
    return bars


def _arrows(
    panels: Sequence[Panel], rows: Sequence[Row], window: tuple[int, int]
) -> list[dict[str, Any]]:
    traces = []
    for number, panel in enumerate(panels):
        places = {row.lane.key: row for row in rows if row.panel == number}
        if panel.arrows:
            traces += arrow_traces(panel.trace, places, window)
        if panel.hazards:
            traces += alarm_traces(panel.trace, panel.hazards, places)
        traces += pair_traces(panel.pair, places, panel.pair_races)
    return traces


def label_width(rows: Sequence[Row]) -> int:
    """px for the labels on the left."""
    longest = max((len(row.lane.name) for row in rows), default=0)
    return round(min(longest, LONGEST_LABEL) * LABEL_PX) + 14


def labels(rows: Sequence[Row]) -> list[str]:
    """What stands there, unescaped."""
    return shortened([one_line(row.lane.name, 200) for row in rows], LONGEST_LABEL)


def _lane_axis(rows: Sequence[Row], total: float) -> dict[str, Any]:
    return {
        "range": [total, 0],
        "fixedrange": True,
        "showgrid": False,
        "zeroline": False,
        "tickmode": "array",
        "tickvals": [row.middle for row in rows],
        "ticktext": [for_plotly(label) for label in labels(rows)],
        "tickfont": {"size": FONT_PX - 1, "color": INK},
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": "rgba(0,0,0,0)",
    }


def _title(text: str, top: float) -> dict[str, Any]:
    return {
        "text": for_plotly(text, 120),
        "xref": "paper",
        "x": 0,
        "y": top + TITLE / 2,
        "xanchor": "left",
        "yanchor": "middle",
        "showarrow": False,
        "font": {"size": FONT_PX},
    }


def _rule(top: float) -> dict[str, Any]:
    """A thin line between two panels."""
    line = {"color": "rgba(122, 132, 142, 0.35)", "width": 1}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": top, "y1": top, "line": line}


def _nothing() -> dict[str, Any]:
    """Keeps an empty window drawable."""
    return {"type": "scatter", "x": [None], "y": [None], "hoverinfo": "skip"}
