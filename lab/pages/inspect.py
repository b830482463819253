"""The Inspect page: a trace file of your own, how idle its devices were, and why."""

import time

import streamlit as st

from engine.config import ConfigError, described
from lab.catalogue import t
from lab.escape import for_markdown, one_line
from lab.guard import one_sentence
from lab.inspect.base import base_told
from lab.inspect.damage import damage
from lab.inspect.inspection import Inspection
from lab.inspect.places import KEYS, selected, show_gap
from lab.inspect.scene_links import run_query
from lab.inspect.source import Picker, source
from lab.inspect.span import found_table, search_box, span_panel
from lab.inspect.tabs import inspect_tabs
from lab.inspect.timeline import inspect_timeline, take_ask
from lab.inspect.verdict import causes_told, verdict
from lab.picture.hover import cause_text
from lab.sentences import in_language
from lab.units import short_ms

JUMPS = 6
BREATH_S = 0.1
"""Before the gaps are explained, which leaves the interpreter little time for anything else: the
picture is on its way to the browser by then."""

PICKER = Picker("sample", 0, KEYS)


def page() -> None:
    """What is open, its verdict, its timeline, what follows from it."""
    st.markdown(f"# {t('inspect.title')}")
    inspection = source(PICKER, st.container(), t("inspect.upload"))
    if inspection is None:
        if not PICKER.is_used:  # else a refusal stands above
            st.info(t("inspect.empty"))
        _record_link()
        return
    top, explained = st.container(), inspection.explained
    with one_sentence():
        if explained:
            with top:
                _verdict(inspection)
        _picture(inspection, explained)
        if not explained:  # a long trace is drawn before its gaps are explained, then again
            with top, st.spinner(t("inspect.explaining"), show_time=True):
                time.sleep(BREATH_S)
                inspection.explain()
            st.rerun()


def _verdict(inspection: Inspection) -> None:
    if sentence := verdict(inspection):
        st.markdown(f"#### {for_markdown(sentence, 400)}")
        told = base_told(inspection)
        causes = causes_told(inspection)
        told += f" {causes}" if causes else ""
        st.caption(for_markdown(told, 600))
    damage(inspection)
    trace, meta = inspection.trace, inspection.trace.meta
    about = t(
        "inspect.file", name=one_line(inspection.name),
        format=one_line(in_language(str(meta.get("format")))),
        spans=f"{len(trace.spans):,}", counters=f"{len(trace.counters):,}",
    )  # fmt: skip
    st.caption(for_markdown(f"{about} {_of_this_lab(inspection)}", 600))
    _scene_link(inspection)


def _of_this_lab(inspection: Inspection) -> str:
    """The configuration of a run of this lab, if it is one."""
    try:
        run = described(inspection.trace.meta)
    except ConfigError as error:
        return in_language(str(error))
    if not run:
        return ""
    switched = run.get("toggles")
    mode = one_line(str(run.get("mode")))
    if not isinstance(switched, dict) or not switched:
        return t("inspect.run_plain", mode=mode)
    toggles = ", ".join(f"{name} = {value}" for name, value in switched.items())
    return t("inspect.run", mode=mode, toggles=one_line(toggles, 200))


def _scene_link(inspection: Inspection) -> None:
    """The way back to the scene of a run of this lab: a trace holds spans, and no tokens."""
    try:
        run = described(inspection.trace.meta)
    except ConfigError:
        return
    if query := run_query(run):
        st.page_link(
            "lab/pages/timeline.py", label=t("inspect.to_scene"), query_params=query,
            help=t("inspect.to_scene_help"),
        )  # fmt: skip


@st.fragment
def _picture(inspection: Inspection, explained: bool) -> None:
    """Lanes, search and jumps above the timeline; the selected span and the tabs below it.
    `explained` says whether the page above tells of the gaps already.

    A fragment: a zoom draws this anew and not the uploader, which copies its file each time.
    """
    if inspection.explained and not explained:  # a click came just when they were
        st.rerun()
    take_ask(inspection)
    keys = _lane_picker(inspection)
    jumps = st.container(horizontal=True, gap="small", vertical_alignment="center")
    wanted = search_box(jumps)
    with st.container():
        found_table(inspection, wanted)
    chosen = selected(inspection)
    window = inspect_timeline(inspection, keys)
    if not explained:
        return
    with jumps:
        _jumps(inspection)
    span_panel(inspection, chosen)
    inspect_tabs(inspection, window)
    _record_link()


def _lane_picker(inspection: Inspection) -> list[str]:
    labels = {lane.key: one_line(lane.name, 60) for lane in inspection.lanes}
    if len(labels) <= len(inspection.first_lanes):
        return list(labels)
    return st.multiselect(
        t("lanes.label"), list(labels), default=inspection.first_lanes,
        format_func=labels.__getitem__, help=t("lanes.help"), key=f"lanes-{inspection.key}",
    )  # fmt: skip


def _jumps(inspection: Inspection) -> None:
    """A button for each of the longest gaps: shows it in the picture below."""
    gaps = inspection.longest_gaps(JUMPS)
    if gaps:
        st.markdown(f"**{t('gaps.title')}**", width="content")
    for number, gap in enumerate(gaps, 1):
        cause = for_markdown(cause_text(gap.cause), 28)
        st.button(
            t(
                "gaps.jump" if inspection.has_one_gpu else "gaps.jump_gpu", number=number,
                time=short_ms(gap.ns), cause=cause, device=gap.device,
            ),
            key=f"jump-{number}", on_click=show_gap, args=(inspection, gap),
        )  # fmt: skip


def _record_link() -> None:
    st.page_link("lab/pages/guide.py", label=t("guide.link"))


page()
