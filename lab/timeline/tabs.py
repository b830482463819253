"""What stands under the Timeline page's picture: text, hazards, idle time, service, spans."""

import re

import streamlit as st

from lab.catalogue import t
from lab.coded_tabs import coded_tabs
from lab.escape import for_markdown
from lab.glossary import glossary
from lab.picture.charts import idle_bars, idle_told
from lab.picture.hover import edge_text, resource_text, worded
from lab.picture.view import show_figure
from lab.picture.window import Window
from lab.stepper.anatomy import anatomy
from lab.tables import MAX_SPANS, hazard_table, idle_table, span_table
from lab.timeline.scene import Scene
from lab.timeline.service import by_figure, capacity_table, waiting_table
from lab.timeline.tokens import texts_html

INVARIANTS = ("lengths", "writer", "release", "streamed", "end", "pool")
MS_FORMAT = "%,.3f"

MAX_BLOCKS = 6
"""Hazards told at length; the table has all of them."""


def scene_tabs(scene: Scene, names: list[str], window: Window) -> None:
    """Draw the tabs, and the content of the open one."""
    coded_tabs(
        "tab",
        {
            "text": (t("tab.text"), lambda: _text(scene)),
            "hazards": (t("tab.hazards"), lambda: _hazards(scene)),
            "idle": (t("tab.idle"), lambda: _idle(scene, names)),
            "service": (t("tab.service"), lambda: _service(scene)),
            "spans": (t("tab.spans"), lambda: _spans(scene, window)),
            "invariants": (t("tab.invariants"), lambda: _invariants(scene)),
        },
    )


def _text(scene: Scene) -> None:
    diff = scene.run.diff
    if diff is None:
        st.info(t("text.timing_only"))
        return
    st.caption(t("text.legend") if diff.count else t("text.all_right", total=diff.total))
    st.html(texts_html(scene.run.run.requests, scene.sync.run.requests, diff))


def _hazards(scene: Scene) -> None:
    hazards = scene.run.run.hazards
    if not hazards:
        st.caption(t("hazard.none"))
        return
    st.caption(t("hazard.legend"))
    st.caption(t("hazard.kinds"))
    for number, hazard in enumerate(hazards[:MAX_BLOCKS]):
        key = "hazard.where" if hazard.step >= 0 else "hazard.where_outside"
        where = t(
            key,
            resource=resource_text(hazard.resource),
            step=hazard.step,
            count=f"{hazard.count:,}",
        )
        st.markdown(f":red[**▲ {hazard.kind}**] {for_markdown(where)}")
        st.caption(
            for_markdown(
                t(
                    "hazard.pair",
                    first=worded(hazard.first),
                    second=worded(hazard.second),
                    edge=edge_text(hazard.missing_edge),
                )
            )
        )
        st.code(worded(hazard.fix.text), language="python", wrap_lines=True)
        anatomy(scene.run, hazard, number)
    st.table(hazard_table(hazards).map(_breakable), hide_index=True)


def _breakable(cell: object) -> str:
    """A cell as Markdown that may go on in a new line behind a dot, bracket or underscore."""
    return re.sub(r"(?<=[._(])(?=\w)", "\u200b", for_markdown(str(cell)))


def _idle(scene: Scene, names: list[str]) -> None:
    studies = {t("panel.run"): scene.run} | {
        t(f"panel.{name}"): study for name, study in scene.pinned(names).items()
    }
    gaps = {title: study.numbers.gaps for title, study in studies.items()}
    wall = {title: study.numbers.wall_ms for title, study in studies.items()}
    st.caption(t("idle.legend"))
    show_figure(idle_bars(gaps, wall), "idle-bars", t("idle.alt", told=idle_told(gaps, wall)))
    table = idle_table(gaps, wall)
    formats = {name: st.column_config.NumberColumn(format=MS_FORMAT) for name in table.columns[1:]}
    st.dataframe(table, hide_index=True, column_config=formats, placeholder="–")
    glossary(list(dict.fromkeys(cause for of_run in gaps.values() for cause in of_run)))


def _service(scene: Scene) -> None:
    runs = {
        t("panel.run"): scene.run.run,
        t("panel.sync"): scene.sync.run,
        t("panel.async"): scene.baseline.run,
    }
    services = {title: run.service for title, run in runs.items()}
    st.caption(t("service.legend"))
    for table in (waiting_table(services), capacity_table(services)):
        st.table(by_figure(table), hide_index=True)
    st.caption(t("service.capacity"))


def _spans(scene: Scene, window: Window) -> None:
    st.caption(t("spans.legend", most=f"{MAX_SPANS:,}"))
    formats = {
        t(key): st.column_config.NumberColumn(format=MS_FORMAT)
        for key in ("span.start", "span.dur")
    }
    table = span_table(scene.run.trace, window)
    st.dataframe(table, hide_index=True, column_config=formats, placeholder="–")


def _invariants(scene: Scene) -> None:
    run = scene.run.run
    for sentence in run.invariants:
        st.markdown(f":red[▲] {for_markdown(worded(sentence))}")
    for sentence in run.errors:
        st.markdown(f"{t('invariants.error')} {for_markdown(worded(sentence))}")
    st.caption(t("invariants.checked" if run.invariants else "invariants.hold"))
    st.markdown("\n".join(f"- {t(f'invariants.{name}')}" for name in INVARIANTS))
    st.caption(
        t(
            "invariants.timer",
            ms=f"{scene.run.numbers.measured_gpu_ms:.3f}",
            gpu=f"{scene.bound.gpu_ms:.3f}",
        )
    )
