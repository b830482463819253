"""The steps of a trace: how many, how long, and what each is made of."""

from typing import Any

import pandas as pd
import streamlit as st

from lab.catalogue import t
from lab.escape import for_markdown, one_line
from lab.inspect.inspection import Inspection
from lab.inspect.places import on_row, show_stretch
from lab.picture.figures import INK, frame
from lab.picture.palette import HOST, SLOT_HUES, STYLES
from lab.picture.view import show_figure
from lab.sentences import in_language
from lab.units import short_ms
from traces.step_parts import StepParts

MOST_STEPS = 300
"""So many steps are drawn and listed."""

PARTS: tuple[tuple[str, str, str], ...] = (
    ("prepare", HOST, ""),
    ("copy_in", SLOT_HUES[0], "/"),
    ("compute", SLOT_HUES[0], ""),
    ("copy_out", SLOT_HUES[0], "\\"),
    ("finish", STYLES["python"].fill, "x"),
)
"""A part of a step, its colour and pattern."""


def steps_tab(inspection: Inspection) -> None:
    """Count, median and p99, what a step is made of, and a table whose rows lead there."""
    steps = inspection.steps
    if not steps.count:
        st.caption(t("steps.none"))
        return
    row = st.container(horizontal=True, gap="large")
    found = t("steps.found", by=in_language(steps.by))
    row.metric(t("steps.count"), f"{steps.count:,}", help=found)
    row.metric(t("steps.median"), t("steps.ms", ms=f"{steps.median_ns / 1e6:,.3f}"))
    row.metric(t("steps.p99"), t("steps.ms", ms=f"{steps.p99_ns / 1e6:,.3f}"))
    if steps.is_guess:
        st.caption(t("steps.guess"))
    parts = inspection.prediction.parts
    if parts:
        st.caption(t("steps.legend"))
        alt = t("steps.alt", count=f"{steps.count:,}", median=short_ms(steps.median_ns))
        show_figure(parts_figure(parts[:MOST_STEPS]), "step-parts", alt)
    elif reason := inspection.prediction.cannot_tell:
        st.caption(t("steps.no_parts", reason=for_markdown(in_language(reason), 400)))
    table = step_table(inspection)
    times = table.select_dtypes("number").columns
    formats = {name: st.column_config.NumberColumn(format="%,.3f") for name in times}
    st.caption(t("steps.rows", shown=len(table), count=f"{steps.count:,}"))
    st.dataframe(
        table, hide_index=True, placeholder="–", column_config=formats, key="step-table",
        on_select=on_row("step-table", lambda number: _show(inspection, number)),
        selection_mode="single-row",
    )  # fmt: skip


def _show(inspection: Inspection, number: int) -> None:
    step = inspection.steps.steps[number]
    show_stretch(inspection, step.start_ns, step.end_ns)


def step_table(inspection: Inspection) -> pd.DataFrame:
    """One row a step, with its parts where they are known."""
    steps = inspection.steps.steps[:MOST_STEPS]
    table = {
        t("steps.step"): [one_line(step.name) for step in steps],
        t("steps.start"): [step.start_ns / 1e6 for step in steps],
        t("steps.time"): [step.ns / 1e6 for step in steps],
    }
    parts = inspection.prediction.parts
    if len(parts) == inspection.steps.count:
        for name, _, _ in PARTS:
            values = [getattr(part, f"{name}_ns") / 1e6 for part in parts[:MOST_STEPS]]
            table[t(f"steps.{name}_ms")] = values
    return pd.DataFrame(table)


def parts_figure(parts: tuple[StepParts, ...]) -> dict[str, Any]:
    """Each step as a stack of its parts: as high as the step takes with nothing beside it."""
    numbers = list(range(1, len(parts) + 1))
    data = [
        {
            "type": "bar", "name": t(f"steps.{name}"), "x": numbers,
            "y": [getattr(part, f"{name}_ns") / 1e6 for part in parts],
            "marker": {
                "color": color, "line": {"width": 0},
                "pattern": {"shape": pattern, "fillmode": "overlay", "solidity": 0.25},
            },
            "hovertemplate": f"{t(f'steps.{name}')}: %{{y:,.3f}} ms<extra></extra>",
        }
        for name, color, pattern in PARTS
    ]  # fmt: skip
    layout = frame(
        height=260, barmode="stack", bargap=0.15, showlegend=True,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        margin={"l": 8, "r": 8, "t": 30, "b": 40},
        xaxis={"title": {"text": t("steps.step")}, "tickfont": {"color": INK}, "showgrid": False},
        yaxis={
            "title": {"text": t("steps.axis")}, "tickfont": {"color": INK}, "automargin": True,
            "gridcolor": "rgba(122, 132, 142, 0.18)",
        },
    )  # fmt: skip
    return {"data": data, "layout": layout}
