"""The timeline of the Inspect page: window controls, the canvas, its legend in words, and the
critical path where it is switched on."""

import streamlit as st

from lab.catalogue import t
from lab.escape import for_markdown, one_line
from lab.in_url import BOUND
from lab.inspect.canvas import answer, plot_px, show_canvas
from lab.inspect.canvas_picture import NOTHING, Picture, Shown, make_picture
from lab.inspect.inspection import Inspection
from lab.inspect.places import KEYS, SELECTED, let_go, selected
from lab.picture.gantt import draw
from lab.picture.legend import LONG_GAP, legend_html
from lab.picture.shown import told
from lab.picture.tools import canvas_tools
from lab.picture.window import Window, window_controls
from lab.units import percent

SHARES_TOLD = 5
LEAST_SHARE = 0.0005
"""A smaller share would be told as 0.0 %."""


def take_ask(inspection: Inspection) -> None:
    """Take over what the reader did on the canvas; before anything is drawn."""

    def select(span: int) -> None:
        if span == NOTHING:
            let_go()
        else:
            st.session_state[SELECTED] = inspection.key, span

    answer(
        st.session_state, _canvas(inspection), KEYS, inspection.extent, inspection.first_window,
        select,
    )  # fmt: skip


def inspect_timeline(inspection: Inspection, lanes: list[str]) -> Window:
    """Draw the chosen lanes, and return the window that is shown."""
    window = window_controls(KEYS, inspection.extent, inspection.first_window)
    path = st.toggle(t("path.switch"), key="path", bind=BOUND, help=t("path.help"))
    place = st.empty()  # there in every run, so that the canvas stays where it is
    if path:
        with place, st.spinner(t("path.walking"), show_time=True):
            inspection.path_lanes  # noqa: B018 - worked out here, under the spinner
    shown = Shown(
        lanes, window, selected(inspection), inspection.path_lanes if path else None,
        plot_px(st.session_state, _canvas(inspection)),
    )  # fmt: skip
    picture = make_picture(inspection, shown)
    panel, own = inspection.panel(lanes), inspection.trace.is_engine_dump
    label = f"{t('inspect.alt', name=one_line(inspection.name))} {told([panel], window)}"
    show_canvas(picture.data, _canvas(inspection), label)
    marks = [LONG_GAP] if picture.data["overview"]["gaps"] else []
    names = [*picture.names, *marks]
    st.html(legend_html(names, own))
    st.caption(_told(inspection, window, picture))
    if path:
        st.caption(_path_told(inspection))
    canvas_tools(_canvas(inspection), lambda: draw([panel], window), names, own)
    return window


def _canvas(inspection: Inspection) -> str:
    """The component's key: another trace gets another canvas, which has asked for nothing."""
    return f"canvas-{inspection.key}"


def _told(inspection: Inspection, window: Window, picture: Picture) -> str:
    told = t("canvas.window", start=f"{window[0] / 1e6:,.3f}", end=f"{window[1] / 1e6:,.3f}")
    if window == inspection.first_window != inspection.extent:
        told += " " + t("view.why", why=t("opening.start"))
    merged = picture.drawn - picture.single
    if merged:
        told += " " + t("view.merged", merged=f"{merged:,}", drawn=f"{picture.drawn:,}")
    return told


def _path_told(inspection: Inspection) -> str:
    """What the critical path is made of, the largest shares first."""
    shares = list(inspection.path.share.items())[:SHARES_TOLD]
    told = "; ".join(
        f"{one_line(name)} {percent(share)}" for name, share in shares if share >= LEAST_SHARE
    )
    return for_markdown(t("path.told", shares=told), 600)
