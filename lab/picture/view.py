"""A timeline on a page: overview strip, window controls, the picture, its legend in words.

The Timeline, Record and Compare pages draw through here. The Inspect page, whose traces are longer,
has a canvas (`lab.inspect.canvas`) that shows the same bars.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from lab.catalogue import t
from lab.escape import for_markdown
from lab.picture.charts import overview
from lab.picture.figures import CONFIG, ReadyFigure
from lab.picture.gantt import Gantt, Panel, draw
from lab.picture.legend import LONG_GAP, legend_html
from lab.picture.shown import told
from lab.picture.tools import picture_menu, timeline_tools
from lab.picture.window import Window, WindowKeys, on_select, window_controls
from lab.units import percent, short_ms
from traces import Gap
from traces.activity import span_union
from traces.intervals import total


@dataclass(frozen=True, eq=False)
class View:
    """What a timeline needs beside its panels. `extent`: the whole run; `default`: the window
    to open with; `busy`: spans by row of the overview; `slots`: kernels belong to slots;
    `why` that window; `end_ns` of the run of the overview, which may end before `extent`."""

    keys: WindowKeys
    extent: Window
    default: Window
    busy: Mapping[str, pd.DataFrame]
    gaps: Sequence[Gap]
    slots: bool
    alt: str
    why: str = ""
    end_ns: int | None = None


def show_figure(figure: dict[str, Any], key: str, alt: str) -> None:
    """A figure that answers to no mouse but for hovering, with the menu that saves it."""
    _drawn(figure, key, alt)
    picture_menu(key)


def _drawn(figure: dict[str, Any], key: str, alt: str) -> None:
    st.plotly_chart(ReadyFigure(figure), key=key, config=CONFIG, alt=alt)


def show_timeline(gantt: Gantt, key: str, alt: str, slots: bool) -> None:
    """A timeline without zoom, its legend, and what stands beside it. `alt` says what it is; what
    it shows in numbers is added. `slots`: kernels belong to slots."""
    _drawn(gantt.figure, key, f"{alt} {told(gantt.panels, gantt.window)}")
    beside(gantt, key, slots)


def beside(gantt: Gantt, key: str, slots: bool, *marks: str) -> None:
    """Legend and tools of a timeline that is drawn. `marks` are in the legend, too."""
    names = [*drawn_names(gantt.figure), *marks]
    st.html(legend_html(names, slots))
    timeline_tools(gantt, key, names, slots)


def drawn_names(figure: dict[str, Any]) -> list[str]:
    """Names of the styles and arrows in a timeline."""
    return [trace["name"] for trace in figure["data"] if "name" in trace]


def timeline(view: View, panels: Sequence[Panel]) -> Window:
    """Draw everything, and return the window that is shown."""
    keys = view.keys
    strip = st.container()
    window = window_controls(keys, view.extent, view.default)
    gantt = draw(panels, window)
    left_px = gantt.figure["layout"]["margin"]["l"]
    marks = [LONG_GAP] if view.busy and view.gaps else []
    if view.busy:
        whole = overview(view.busy, view.gaps, view.extent, window, left_px, view.end_ns)
        with strip:
            _zoomable(whole, f"{keys.chart}-overview", _overview_alt(view), view)
    _zoomable(gantt.figure, keys.chart, f"{view.alt} {told(panels, window)}", view)
    st.caption(_told(view, window, gantt))
    beside(gantt, keys.chart, view.slots, *marks)
    return window


def _overview_alt(view: View) -> str:
    """What the strip of the whole run shows, with how busy each of its rows is."""
    length = max(1, view.extent[1] - view.extent[0])
    shares = ((label, total(span_union(spans)) / length) for label, spans in view.busy.items())
    busy = ", ".join(f"{label} {percent(share)}" for label, share in shares)
    return t("overview.alt", busy=busy, length=short_ms(length))


def _told(view: View, window: Window, gantt: Gantt) -> str:
    """What the picture shows, why, and whether short spans are drawn together in it."""
    told = t("view.window", start=f"{window[0] / 1e6:,.3f}", end=f"{window[1] / 1e6:,.3f}")
    if view.why and window == view.default:
        told += " " + t("view.why", why=for_markdown(view.why))
    if view.end_ns is not None and view.end_ns < view.extent[1]:
        told += " " + t("view.ends", end=f"{view.end_ns / 1e6:,.3f}")
    merged = gantt.drawn - gantt.single
    if merged:
        told += " " + t("view.merged", merged=f"{merged:,}", drawn=f"{gantt.drawn:,}")
    return told


def _zoomable(figure: dict[str, Any], key: str, alt: str, view: View) -> None:
    """A chart that zooms to the box dragged over it."""

    def zoom() -> None:
        on_select(view.keys, key, view.extent)

    st.plotly_chart(
        ReadyFigure(figure), key=key, config=CONFIG, alt=alt, on_select=zoom,
        selection_mode=("box",),
    )  # fmt: skip
