"""What all figures share: the frame around them, and the way to Streamlit.

Figures are plain dicts. Validating one through plotly's classes takes longer than building
it (60 to 80 ms against 5, measured on 12 traces of 600 bars), so `ReadyFigure` hands the dict on
as it is, and the tests do the validating.
"""

from typing import Any

import plotly.io
from plotly.basedatatypes import BaseFigure
from streamlit.elements.lib.streamlit_plotly_theme import GRAY_90

FONT_PX = 12
INK = GRAY_90
"""The page's own text colour, light or dark: Streamlit puts it in the browser in place of this
one. Its usual colour for figures is too pale to be read (3.7:1)."""

CONFIG = {
    "displaylogo": False,
    "modeBarButtons": [["toImage"]],
    "toImageButtonOptions": {"filename": "overlap-lab", "scale": 2},
}
"""The one button saves a picture, and is pressed by the menu "Save" alone; zooming goes through the
page, so that it can be shared."""


class ReadyFigure(BaseFigure):  # type: ignore[misc]  # plotly ships no types
    """A figure whose dict is known to be valid."""

    def __init__(self, figure: dict[str, Any]) -> None:
        self.__dict__["_ready"] = figure

    def to_dict(self) -> dict[str, Any]:
        """The dict as it was given, with the template that carries the page's theme."""
        ready: dict[str, Any] = self.__dict__["_ready"]
        template = plotly.io.templates[plotly.io.templates.default or "plotly"].to_plotly_json()
        return {"data": ready["data"], "layout": {"template": template} | ready["layout"]}


def frame(height: int, **layout: object) -> dict[str, Any]:
    """A layout: `height` px, no legend, small margins, the page's colours; `layout` goes on top."""
    return {
        "height": height,
        "showlegend": False,
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "font": {"size": FONT_PX, "color": INK},
        "hoverlabel": {"align": "left", "namelength": -1},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
    } | layout


def time_axis(window: tuple[int, int], title: str, **axis: object) -> dict[str, Any]:
    """An x axis in ms over a window in ns, with as many upright labels as there is room for."""
    return {
        "title": {"text": title, "standoff": 6, "font": {"size": FONT_PX, "color": INK}},
        "range": [window[0] / 1e6, window[1] / 1e6],
        "showgrid": True,
        "gridcolor": "rgba(122, 132, 142, 0.18)",
        "zeroline": False,
        "tickfont": {"size": FONT_PX - 1, "color": INK},
        "tickangle": 0,
        "separatethousands": True,
        "exponentformat": "none",  # else 20,000 ms are "20k", and only the last tick says so
        "hoverformat": ",.6f",
    } | axis
