"""The small figures beside the timeline: the overview strip, idle by cause, counters."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lab.catalogue import t
from lab.escape import for_plotly
from lab.picture.counters import counter_axis, counter_name, counters_in
from lab.picture.figures import FONT_PX, INK, frame, time_axis
from lab.picture.hover import cause_text
from lab.picture.palette import GAP, HOST, SLOT_HUES, STYLES
from lab.units import percent
from traces import Gap, Trace
from traces.activity import span_union

Floats = NDArray[np.float64]

BINS = 400
LONGEST_GAPS = 10
MAX_CAUSES = 12
TOLD_CAUSES = 3

COUNTER_PX = 116
NAME_SHARE = 0.24
"""So much of a counter's height is its name's, above its field."""


def busy_shares(spans: pd.DataFrame, extent: tuple[int, int], bins: int = BINS) -> Floats:
    """Share of each of `bins` equal stretches of `extent` (ns) in which a span ran, 0 to 1."""
    busy = span_union(spans)
    edges = np.linspace(extent[0], extent[1], bins + 1)
    if not len(busy):
        return np.zeros(bins)
    passed = np.concatenate([[0], np.cumsum(busy[:, 1] - busy[:, 0])])
    times = np.concatenate([busy[:1, 0], busy.ravel()])
    values = np.concatenate([[0], np.column_stack([passed[:-1], passed[1:]]).ravel()])
    shares: Floats = np.diff(np.interp(edges, times, values)) / np.maximum(np.diff(edges), 1)
    return shares


def overview(
    rows: Mapping[str, pd.DataFrame],
    gaps: Sequence[Gap],
    extent: tuple[int, int],
    window: tuple[int, int],
    left_px: int,
    end_ns: int | None = None,
) -> dict[str, Any]:
    """The whole run: for each row how busy it was, the longest gaps as ticks, the window, and a
    line where the run ends, if others go on.

    `left_px`: the margin of the timeline below, so that both line up when they show the same.
    """
    edges = np.linspace(extent[0], extent[1], BINS + 1) / 1e6
    data = []
    for number, (label, spans) in enumerate(rows.items()):
        shares = busy_shares(spans, extent)
        data.append(
            {
                "type": "bar", "x": (edges[:-1] + edges[1:]) / 2, "y": shares * 0.86,
                "base": np.full(BINS, float(-number)), "width": np.diff(edges),
                "marker": {"color": SLOT_HUES[0], "line": {"width": 0}}, "name": label,
                "customdata": shares * 100, "hovertemplate": t("overview.hover"),
            }
        )  # fmt: skip
    data.append(_ticks(gaps, len(rows)))
    layout = frame(
        height=44 + 26 * len(rows),
        barmode="overlay",
        bargap=0,
        margin={"l": left_px, "r": 10, "t": 6, "b": 24},
        xaxis=time_axis(extent, "", showgrid=False, ticksuffix=" ms", showticksuffix="last"),
        yaxis={
            "range": [1 - len(rows) - 0.05, 1.12], "fixedrange": True, "showgrid": False,
            "zeroline": False, "tickmode": "array", "tickfont": {"size": FONT_PX - 1, "color": INK},
            "tickvals": [0.43 - number for number in range(len(rows))],
            "ticktext": [for_plotly(label, 10) for label in rows],
        },
        shapes=[*_window_shape(window, extent), *_end_shape(end_ns, extent)],
        dragmode="select",
        selectdirection="h",
    )  # fmt: skip
    return {"data": data, "layout": layout}


def _ticks(gaps: Sequence[Gap], rows: int) -> dict[str, Any]:
    longest = sorted(gaps, key=lambda gap: -gap.ns)[:LONGEST_GAPS]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [(gap.start_ns + gap.end_ns) / 2e6 for gap in longest],
        "y": [1.0] * len(longest),
        "marker": {"symbol": "triangle-down", "size": 8, "color": GAP},
        "hoverinfo": "text",
        "hovertext": [
            for_plotly(f"{gap.ns / 1e6:.3f} ms · {cause_text(gap.cause)}") for gap in longest
        ],
    }


def _window_shape(window: tuple[int, int], extent: tuple[int, int]) -> list[dict[str, Any]]:
    """A frame around the window, unless it is everything."""
    if window == extent:
        return []
    shape = {
        "type": "rect", "xref": "x", "yref": "paper", "x0": window[0] / 1e6, "x1": window[1] / 1e6,
        "y0": 0, "y1": 1, "line": {"color": HOST, "width": 1.5}, "fillcolor": HOST, "opacity": 0.28,
    }  # fmt: skip
    return [shape]


def _end_shape(end_ns: int | None, extent: tuple[int, int]) -> list[dict[str, Any]]:
    """A dotted line at the run's end, unless the strip ends there too."""
    if end_ns is None or end_ns >= extent[1]:
        return []
    shape = {
        "type": "line", "xref": "x", "yref": "paper", "x0": end_ns / 1e6, "x1": end_ns / 1e6,
        "y0": 0, "y1": 1, "line": {"color": INK, "width": 1.5, "dash": "dot"},
    }  # fmt: skip
    return [shape]


def idle_bars(
    gaps: Mapping[str, Mapping[str, float]], wall_ms: Mapping[str, float]
) -> dict[str, Any]:
    """Idle share of the wall time by cause, one bar a run; the first run is the one shown."""
    totals: dict[str, float] = {}
    for title, of_run in gaps.items():
        for cause, ms in of_run.items():
            totals[cause] = max(totals.get(cause, 0.0), ms / wall_ms[title])
    causes = sorted(totals, key=lambda cause: -totals[cause])[:MAX_CAUSES]
    gap = STYLES["gap"]
    looks = ((gap.fill, "/"), (HOST, ""), (STYLES["python"].fill, "x"))
    data = [
        {
            "type": "bar", "orientation": "h", "name": title,
            "y": [for_plotly(cause_text(cause), 40) for cause in causes],
            "x": [100 * of_run.get(cause, 0.0) / wall_ms[title] for cause in causes],
            "marker": {
                "color": fill, "line": {"width": 1, "color": gap.line if pattern == "/" else fill},
                "pattern": {
                    "shape": pattern, "fillmode": "overlay", "solidity": 0.16, "bgcolor": fill,
                    "fgcolor": gap.line if pattern == "/" else HOST,
                },
            },
            "hovertemplate": "%{x:.3f} %<extra>%{fullData.name}</extra>",
        }
        for (title, of_run), (fill, pattern) in zip(gaps.items(), looks, strict=False)
    ]  # fmt: skip
    layout = frame(
        height=76 + len(causes) * (10 + 14 * len(data)),
        showlegend=True,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        margin={"l": 8, "r": 8, "t": 30, "b": 40},
        bargap=0.25,
        xaxis={
            "title": {"text": t("idle.axis"), "font": {"color": INK}},
            "tickfont": {"color": INK}, "zeroline": False, "ticksuffix": " %",
        },
        yaxis={
            "autorange": "reversed", "automargin": True, "dtick": 1, "tickfont": {"color": INK},
        },
    )  # fmt: skip
    return {"data": data, "layout": layout}


def idle_told(gaps: Mapping[str, Mapping[str, float]], wall_ms: Mapping[str, float]) -> str:
    """The bars of `idle_bars` in words: the largest causes of each run with their shares."""
    runs = []
    for title, of_run in gaps.items():
        largest = sorted(of_run.items(), key=lambda one: -one[1])[:TOLD_CAUSES]
        causes = [
            t("verdict.cause", cause=cause_text(cause), share=percent(ms / wall_ms[title]))
            for cause, ms in largest
        ]
        runs.append(f"{title}: {', '.join(causes) or percent(0)}")
    return "; ".join(runs)


def counters(trace: Trace, window: tuple[int, int]) -> dict[str, Any]:
    """Each counter as a stepped line over the window, one below the other under its name."""
    strips = [counter.held(window[1] / 1e6) for counter in counters_in(trace, window)]
    layout = frame(
        height=60 + COUNTER_PX * len(strips), margin={"l": 8, "r": 10, "t": 8, "b": 44},
        xaxis=time_axis(window, t("axis.ms"), fixedrange=True), annotations=[],
    )  # fmt: skip
    data = []
    for number, counter in enumerate(strips):
        axis = f"y{number + 1}" if number else "y"
        bottom, top = 1 - (number + 1) / len(strips), 1 - (number + NAME_SHARE) / len(strips)
        layout[f"yaxis{number + 1}" if number else "yaxis"] = {
            **counter_axis(counter, (bottom, top), counter.peak, 1.08),
            "automargin": True,
        }  # fmt: skip
        layout["annotations"].append({**counter_name(counter, axis), "yanchor": "bottom"})
        data.append(
            {
                "type": "scatter", "mode": "lines", "line": {"shape": "hv", "color": SLOT_HUES[0]},
                "x": counter.ms, "y": counter.values, "text": counter.texts, "yaxis": axis,
                "name": counter.name, "hovertemplate": "%{text}<br>%{x:.6f} ms<extra></extra>",
            }
        )  # fmt: skip
    layout["xaxis"]["anchor"] = f"y{len(strips)}" if len(strips) > 1 else "y"
    return {"data": data, "layout": layout}
