"""Ways to a place in the Inspect page's timeline: a gap, a step, a span that is then framed.

All of them are callbacks: the window is set before the page runs again.
"""

from collections.abc import Callable
from typing import Any, Final

import streamlit as st

from lab.inspect.inspection import Inspection, around
from lab.picture.window import WindowKeys, push_window
from traces import Gap

KEYS = WindowKeys("w0", "w1", "inspect")
SELECTED: Final = "inspect-span"
"""Key of the selected span: (the trace's key, span id)."""

MARGIN_NS = 5_000
"""Shown on either side of a stretch that is shorter than this."""


def selected(inspection: Inspection) -> int | None:
    """The id of the selected span, if one of this trace is."""
    key, span = st.session_state.get(SELECTED, ("", -1))
    return span if key == inspection.key and 0 <= span < len(inspection.trace.spans) else None


def show_stretch(inspection: Inspection, start_ns: int, end_ns: int) -> None:
    """Callback: zoom to a stretch, with as much again on both sides."""
    margin = max(end_ns - start_ns, MARGIN_NS)
    first, last = inspection.extent
    window = max(first, start_ns - margin), min(last, end_ns + margin)
    push_window(st.session_state, KEYS, window)


def show_gap(inspection: Inspection, gap: Gap) -> None:
    """Callback: zoom to a gap."""
    push_window(st.session_state, KEYS, around(gap, inspection.extent))


def show_span(inspection: Inspection, span: int) -> None:
    """Callback: select a span, and zoom to it."""
    st.session_state[SELECTED] = inspection.key, span
    spans = inspection.trace.spans
    start = int(spans["ts_ns"][span])
    show_stretch(inspection, start, start + int(spans["dur_ns"][span]))


def let_go() -> None:
    """Callback: select nothing."""
    st.session_state.pop(SELECTED, None)


def on_row(table: str, do: Callable[[int], None]) -> Callable[[], None]:
    """A callback for a table: does something with the number of the row that was clicked."""

    def picked() -> None:
        state: Any = st.session_state.get(table)
        rows = state["selection"]["rows"] if state else []
        if rows:
            do(rows[0])

    return picked
