"""The picture of a sweep: a point for each run, a line through the means, a field for each facet.

Colours are told apart by the shape of the point too.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from lab.catalogue import t
from lab.escape import for_plotly
from lab.picture.figures import INK, frame
from lab.picture.palette import HOST, SLOT_HUES
from lab.sweep.table import as_text, in_order, measure_name, values_of

SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "x", "star")
HUES = (*SLOT_HUES, HOST)
HEIGHT_PX = 360

NUMBERS = {"type": "linear", "nticks": 6}
NAMES = {"type": "category", "tickangle": -45, "categoryorder": "array"}
"""Names stand aslant: beside one another those of two fields would run into each other."""


@dataclass(frozen=True)
class Axes:
    """What is drawn: columns for x, colour and facet ("" for none), and a figure for y."""

    x: str
    y: str
    colour: str = ""
    facet: str = ""


def picture(table: pd.DataFrame, axes: Axes) -> dict[str, Any]:
    """The figure of the rows that have the figure `axes.y`."""
    values = values_of(table, axes.y)
    table = in_order(table.assign(_y=values)[values.notna()], [axes.x])
    groups = _groups(table, axes.facet)
    data: list[dict[str, Any]] = []
    layout = frame(
        height=HEIGHT_PX, showlegend=bool(axes.colour),
        margin={"l": 8, "r": 10, "t": 52, "b": 8},
        legend={"orientation": "h", "y": 1.16, "yanchor": "bottom", "x": 0,
                "title": {"text": for_plotly(axes.colour)}},
        grid={"rows": 1, "columns": max(1, len(groups)), "pattern": "coupled", "xgap": 0.08},
        annotations=[],
    )  # fmt: skip
    layout["yaxis"] = _axis(measure_name(axes.y), rangemode="tozero")
    is_number = pd.api.types.is_numeric_dtype(table[axes.x])
    names = {"categoryarray": _x(table[axes.x].drop_duplicates())}
    x_axis = NUMBERS if is_number else NAMES | names
    for number, (facet, part) in enumerate(groups, 1):
        place = "" if number == 1 else str(number)
        layout[f"xaxis{place}"] = _axis(axes.x, **x_axis)
        if axes.facet:
            layout["annotations"].append(_title(f"{axes.facet} = {facet}", number, len(groups)))
        data += _of_facet(part, axes, f"x{place}", {trace["name"] for trace in data}, table)
    return {"data": data, "layout": layout}


def _of_facet(
    part: pd.DataFrame, axes: Axes, x_axis: str, told: Collection[str], table: pd.DataFrame
) -> Iterator[dict[str, Any]]:
    """Points and line of each colour in one field. The legend has those of `told` already."""
    names = [name for name, _ in _groups(table, axes.colour)]
    for name, rows in _groups(part, axes.colour):
        number = names.index(name)
        hue, symbol = HUES[number % len(HUES)], SYMBOLS[number % len(SYMBOLS)]
        shared = {
            "type": "scatter", "xaxis": x_axis, "yaxis": "y", "legendgroup": name,
            "name": for_plotly(name),
        }  # fmt: skip
        means = rows.groupby(axes.x, sort=False)["_y"].mean()
        yield {
            **shared, "mode": "lines", "x": _x(means.index), "y": means.tolist(),
            "line": {"color": hue, "width": 1.5}, "showlegend": False, "hoverinfo": "skip",
        }  # fmt: skip
        yield {
            **shared, "mode": "markers", "x": _x(rows[axes.x]), "y": rows["_y"].tolist(),
            "marker": {"color": hue, "symbol": symbol, "size": 9, "opacity": 0.8},
            "showlegend": shared["name"] not in told,
            "hovertemplate": t("sweep.hover", x=for_plotly(axes.x)),
        }  # fmt: skip


def _x(values: "pd.Index[Any] | pd.Series[Any]") -> list[Any]:
    if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
        return [float(value) for value in values]
    return [for_plotly(as_text(value), 30) for value in values]


def _groups(table: pd.DataFrame, column: str) -> list[tuple[str, pd.DataFrame]]:
    """The rows by a column's values as text; all of them under "" without one."""
    if not column:
        return [("", table)]
    return [(as_text(value), rows) for value, rows in table.groupby(column, dropna=False)]


def _axis(title: str, **axis: object) -> dict[str, Any]:
    return {
        "title": {"text": for_plotly(title), "font": {"color": INK}}, "tickfont": {"color": INK},
        "gridcolor": "rgba(122, 132, 142, 0.18)", "zeroline": False, "automargin": True,
        "fixedrange": True, **axis,
    }  # fmt: skip


def _title(text: str, number: int, fields: int) -> dict[str, Any]:
    return {
        "text": for_plotly(text, 40), "showarrow": False, "xref": "paper", "yref": "paper",
        "x": (number - 0.5) / fields, "y": 1.02, "xanchor": "center", "yanchor": "bottom",
        "font": {"color": INK},
    }  # fmt: skip
