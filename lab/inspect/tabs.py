"""What stands under the Inspect page's timeline."""

import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from lab.catalogue import t
from lab.coded_tabs import coded_tabs
from lab.escape import one_line
from lab.glossary import glossary
from lab.inspect.base import base_told, together
from lab.inspect.findings import findings_tab
from lab.inspect.inspection import MOST_DEVICES, MOST_RANKED, Inspection
from lab.inspect.outlook import outlook_tab
from lab.inspect.places import on_row, show_gap, show_span
from lab.inspect.steps import steps_tab
from lab.picture.charts import counters, idle_bars, idle_told
from lab.picture.counters import counters_in
from lab.picture.tools import table_fold
from lab.picture.view import show_figure
from lab.picture.window import Window
from lab.tables import (
    MAX_SPANS,
    counter_table,
    device_table,
    gap_table,
    idle_table,
    shown_spans,
    span_table,
    stream_table,
)

MOST_BARS = 3
"""So many GPUs have bars of their own; of more all together have one."""

MS = st.column_config.NumberColumn(format="%,.3f")


def inspect_tabs(inspection: Inspection, window: Window) -> None:
    """Draw the tabs, and the content of the open one."""
    coded_tabs(
        "view",
        {
            "findings": (t("inspect.tab_findings"), lambda: findings_tab(inspection)),
            "steps": (t("inspect.tab_steps"), lambda: steps_tab(inspection)),
            "outlook": (t("inspect.tab_outlook"), lambda: outlook_tab(inspection)),
            "gaps": (t("inspect.tab_gaps"), lambda: _gaps(inspection)),
            "causes": (t("inspect.tab_causes"), lambda: _causes(inspection)),
            "devices": (t("inspect.tab_devices"), lambda: _devices(inspection)),
            "spans": (t("inspect.tab_spans"), lambda: _spans(inspection, window)),
            "counters": (t("inspect.tab_counters"), lambda: _counters(inspection, window)),
        },
    )


def in_ms(*columns: str) -> dict[str, ColumnConfig | str | None]:
    """The format of columns that hold ms."""
    return dict.fromkeys(columns, MS)


def _gaps(inspection: Inspection) -> None:
    gaps = inspection.longest_gaps(MOST_RANKED)
    if not gaps:
        st.caption(t("gaps.none"))
        return
    st.caption(t("gaps.legend", shown=f"{len(gaps):,}", count=f"{len(inspection.gaps):,}"))
    st.dataframe(
        gap_table(gaps), hide_index=True, placeholder="–",
        column_config=in_ms(t("gaps.start"), t("gaps.ms")),
        key="gap-table", on_select=on_row("gap-table", lambda row: show_gap(inspection, gaps[row])),
        selection_mode="single-row",
    )  # fmt: skip
    glossary(list(dict.fromkeys(gap.cause for gap in gaps)))


def _causes(inspection: Inspection) -> None:
    gaps = {cause: ns / 1e6 for cause, ns in inspection.causes.items()}
    if not gaps:
        st.caption(t("gaps.none"))
        return
    wall_ms = sum(idle.of_ns for idle in inspection.idles) / 1e6
    name = t("inspect.this") if inspection.has_one_gpu else together(inspection)
    tables = {name: gaps}, {name: wall_ms}
    st.caption(base_told(inspection))
    own = _causes_of_each(inspection)
    drawn = own if 1 < len(own[0]) <= MOST_BARS else tables
    show_figure(idle_bars(*drawn), "causes", t("idle.alt", told=idle_told(*drawn)))
    table = idle_table(tables[0] | own[0], tables[1] | own[1])
    st.dataframe(table, hide_index=True, placeholder="–", column_config=in_ms(*table.columns[1:]))
    glossary(list(inspection.causes))


def _causes_of_each(inspection: Inspection) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """Idle ms by cause and time (ms) of each GPU, by its name; nothing where there is but one."""
    idles = [] if inspection.has_one_gpu else inspection.idles[:MOST_DEVICES]
    names = [t("verdict.gpu", device=idle.device) for idle in idles]
    causes = [inspection.causes_by_device.get(idle.device, {}) for idle in idles]
    gaps = [{cause: ns / 1e6 for cause, ns in own.items()} for own in causes]
    of_ms = [idle.of_ns / 1e6 for idle in idles]
    return dict(zip(names, gaps, strict=True)), dict(zip(names, of_ms, strict=True))


def _devices(inspection: Inspection) -> None:
    if not inspection.devices:
        st.caption(t("device.none"))
        return
    percents = st.column_config.NumberColumn(format="%.2f")
    formats = in_ms(*(t(f"device.{n}") for n in ("idle", "of", "compute", "comm", "copy", "over")))
    formats |= {t("device.share"): percents}
    st.caption(base_told(inspection))
    st.dataframe(
        device_table(inspection.devices, inspection.idles),
        hide_index=True,
        placeholder="–",
        column_config=formats,
    )
    st.caption(t("stream.legend"))
    st.dataframe(
        stream_table(inspection.trace, inspection.idles), hide_index=True, placeholder="–",
        column_config=in_ms(t("stream.busy"), t("stream.copies")) | {t("stream.share"): percents},
    )  # fmt: skip


def _spans(inspection: Inspection, window: Window) -> None:
    st.caption(t("spans.legend", most=f"{MAX_SPANS:,}"))
    ids = shown_spans(inspection.trace, window).index.tolist()
    st.dataframe(
        span_table(inspection.trace, window), hide_index=True, placeholder="–",
        column_config=in_ms(t("span.start"), t("span.dur")), key="span-table",
        on_select=on_row("span-table", lambda row: show_span(inspection, ids[row])),
        selection_mode="single-row",
    )  # fmt: skip


def _counters(inspection: Inspection, window: Window) -> None:
    if inspection.trace.counters.empty:
        st.caption(t("inspect.no_counters"))
        return
    trace = inspection.trace
    names = "; ".join(f"{one.name} {one.text(one.peak)}" for one in counters_in(trace, window))
    alt = t("counters.alt", names=one_line(names, 600))
    show_figure(counters(trace, window), "inspect-counters", alt)
    table_fold("inspect-counters", lambda: counter_table(trace, window))
