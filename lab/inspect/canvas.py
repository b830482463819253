"""The canvas timeline on a page: its component, and what its reader asks for.

The component sends one value, an *ask*: the window and the selected span as the reader left them.
It is state and no event, and it is answered at the beginning of the page's run and in no callback:
Streamlit may end a callback, or a run, wherever it touches the session's state, if something else
was clicked meanwhile. The value is then still there for the next run, and asking twice does no
harm.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from lab.catalogue import t
from lab.picture.lod import PLOT_PX
from lab.picture.window import MIN_NS, State, Window, WindowKeys, push_window, window_of

FOLDER = Path(__file__).resolve().parents[1] / "browser"
HTML = """<div class="timeline">
  <canvas class="canvas" tabindex="0" role="application" aria-describedby="keys"></canvas>
  <div class="hint" aria-hidden="true" hidden></div>
  <p class="said" role="status"></p>
  <p class="keys" id="keys"></p>
  <details class="table">
    <summary></summary>
    <div tabindex="0" role="region"><table><thead><tr></tr></thead><tbody></tbody></table></div>
  </details>
</div>"""

NARROWEST_PX, WIDEST_PX = 100, 4000
COLUMNS = ("name", "lane", "times", "more")


def _script(*names: str) -> str:
    return "\n".join((FOLDER / name).read_text("utf-8") for name in names)


_component = st.components.v2.component(
    "trace_timeline", html=HTML, css=_script("timeline.css"), js=_script("draw.js", "timeline.js")
)


class Ask(NamedTuple):
    """What the reader sees by now: ask number `n`, a window in ns since the trace's beginning, the
    selected span (NOTHING for none), the width of the drawing."""

    n: int
    start_ns: int
    end_ns: int
    span: int
    plot_px: int


def ask_of(value: Mapping[str, Any] | None) -> Ask | None:
    """The ask in a component's value; None where there is none, or no sensible one."""
    asked = (value or {}).get("ask") or {}
    given = [asked.get(name) for name in ("n", "start", "end", "span", "px")]
    numbers = [number for number in given if isinstance(number, int)]
    if len(numbers) < len(given):
        return None
    ask = Ask(*numbers)
    px = min(max(ask.plot_px, NARROWEST_PX), WIDEST_PX)
    return ask._replace(plot_px=px)


def answered(state: State, canvas: str) -> int:
    """The number of the last ask of a canvas that was answered."""
    return int(state.get(f"{canvas}-answered", 0))


def answer(
    state: State,
    canvas: str,
    keys: WindowKeys,
    extent: Window,
    default: Window,
    select: Callable[[int], None],
) -> None:
    """Do what a canvas asks for, unless that was done: show its window, and `select` its span.
    `extent` and `default` are those of `window_of`. That it was done is noted last."""
    ask = ask_of(state.get(canvas))
    if ask is None or ask.n <= answered(state, canvas):
        return
    start, end = max(extent[0] + ask.start_ns, extent[0]), min(extent[0] + ask.end_ns, extent[1])
    if end - start >= MIN_NS and (start, end) != window_of(state, keys, extent, default):
        push_window(state, keys, (start, end))
    select(ask.span)
    state[f"{canvas}-answered"] = ask.n


def plot_px(state: State, canvas: str) -> int:
    """How wide the canvas draws, as far as it has told."""
    ask = ask_of(state.get(canvas))
    return ask.plot_px if ask else PLOT_PX


def show_canvas(data: Mapping[str, Any], canvas: str, label: str) -> None:
    """Draw a picture's data. `canvas` is the component's key, `label` what it is called."""
    words = {
        "label": label,
        "keys": t("canvas.keys"),
        "axis": t("axis.ms"),
        "table": t("canvas.table", count=f"{len(data['bars']['x']):,}"),
        "columns": [t(f"canvas.column_{name}") for name in COLUMNS],
    }
    number = answered(st.session_state, canvas)
    _component(
        key=canvas, data={**data, "answered": number, "words": words}, on_ask_change=lambda: None
    )
