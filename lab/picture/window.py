"""The stretch of time a timeline shows: drag to zoom, go back, or type it.

The window lives in two bound number inputs (ms), so that it stands in the URL, and a list of
earlier windows for the way back. Dragging a box sets it in a callback, before the page runs
again: read in the page's body it would be lost at the next click elsewhere.
"""

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from lab.catalogue import t
from lab.units import whole_ns

MIN_NS = 1_000
"""A narrower box is taken for a slip of the mouse."""

State = MutableMapping[str | int, Any]
"""The session's state, or a dict in its place."""

Window = tuple[int, int]
"""(start, end) in ns."""


@dataclass(frozen=True)
class WindowKeys:
    """Names under which a page keeps its window: two URL parameters, a chart, a history."""

    start: str
    end: str
    chart: str

    @property
    def history(self) -> str:
        """Key of the list of earlier windows."""
        return f"{self.chart}-history"


def window_of(state: State, keys: WindowKeys, extent: Window, default: Window) -> Window:
    """The window in `state`, cut to `extent`; `default` where none or nonsense is there."""
    start, end = state.get(keys.start), state.get(keys.end)
    if start is None or end is None:
        return default
    window = max(extent[0], whole_ns(start)), min(extent[1], whole_ns(end))
    return window if window[1] - window[0] >= MIN_NS else default


def box_of(selection: Mapping[str, Any] | None) -> Window | None:
    """The window of a chart's box selection in ns, or None where there is no usable box."""
    boxes = (selection or {}).get("selection", {}).get("box") or []
    ends = boxes[0].get("x", []) if boxes else []
    if len(ends) != 2 or not all(isinstance(end, int | float) for end in ends):
        return None
    start, end = sorted(whole_ns(end) for end in ends)
    return (start, end) if end - start >= MIN_NS else None


def push_window(state: State, keys: WindowKeys, window: Window) -> None:
    """Show `window`, and remember what was shown before, once if that is asked for twice."""
    before = (state.get(keys.start), state.get(keys.end))
    history = list(state.get(keys.history, []))
    if history[-1:] != [before]:
        state[keys.history] = [*history, before][-50:]
    state[keys.start], state[keys.end] = window[0] / 1e6, window[1] / 1e6


def go_back(state: State, keys: WindowKeys) -> None:
    """Show the window before this one; the default one at the end of the list."""
    history = list(state.get(keys.history, []))
    state[keys.start], state[keys.end] = history.pop() if history else (None, None)
    state[keys.history] = history


def forget(state: State, keys: WindowKeys) -> None:
    """Show the default window again."""
    state[keys.start] = state[keys.end] = None
    state[keys.history] = []


def on_select(keys: WindowKeys, chart: str, extent: Window) -> None:
    """Callback of a chart: zoom to the dragged box."""
    window = box_of(st.session_state.get(chart))
    if window:
        cut = max(extent[0], window[0]), min(extent[1], window[1])
        push_window(st.session_state, keys, cut)


def window_controls(keys: WindowKeys, extent: Window, default: Window) -> Window:
    """Back, Reset, Whole run and the two numbers; returns the window to show."""
    state = st.session_state
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
    for key, label in ((keys.start, "window.start"), (keys.end, "window.end")):
        row.number_input(
            t(label), value=None, step=1.0, format="%.3f", key=key, bind="query-params", width=150,
            placeholder=f"{default[key == keys.end] / 1e6:.3f}",
        )  # fmt: skip
    changed = bool(state.get(keys.history)) or state.get(keys.start) is not None
    buttons = row.container(horizontal=True, gap="small", width="content")
    buttons.button(
        t("window.back"), key=f"{keys.chart}-back", on_click=go_back,
        args=(state, keys), disabled=not changed,
    )  # fmt: skip
    buttons.button(
        t("window.reset"), key=f"{keys.chart}-reset", on_click=forget, args=(state, keys),
        disabled=not changed,
    )  # fmt: skip
    buttons.button(
        t("window.whole"), key=f"{keys.chart}-whole", on_click=push_window,
        args=(state, keys, extent),
    )  # fmt: skip
    return window_of(state, keys, extent, default)
