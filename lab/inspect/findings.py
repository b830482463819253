"""The findings on a trace: what costs time, where to look, what is missing, what to change."""

import streamlit as st

from lab.catalogue import t
from lab.course.state import LESSON
from lab.course.text import text
from lab.escape import for_markdown
from lab.glossary import advice, rule_meaning, rule_name
from lab.inspect.base import each, together
from lab.inspect.inspection import Inspection
from lab.inspect.places import show_span
from lab.inspect.scene_links import lesson_of, scene_of, timeline_query
from lab.picture.hover import span_text
from lab.units import percent, short_ms
from traces import Finding
from traces.finding_rules import BETWEEN_STEPS, HOST_BOUND, OVERLAPPED_RUN
from traces.findings import SMALL

AT_LENGTH = 4

ABOUT_STEPS = (BETWEEN_STEPS, HOST_BOUND, OVERLAPPED_RUN)
"""Findings that say where in a step the time is."""

BADGES = {"high": "orange", "medium": "blue", "low": "gray"}


def findings_tab(inspection: Inspection) -> None:
    """The costliest findings at length, the others in a line, those too small by name."""
    findings = inspection.findings
    if not findings:
        st.caption(t("findings.none" if inspection.devices else "findings.no_gpu"))
        return
    st.caption(t("findings.legend"))
    told = [f for f in findings if not f.is_small]
    if inspection.steps.is_guess and any(f.rule in ABOUT_STEPS for f in told):
        st.caption(t("steps.guess"))
    for number, finding in enumerate(told[:AT_LENGTH], 1):
        _at_length(inspection, finding, number)
    others = [
        t("findings.other", rule=rule_name(f.rule), time=short_ms(f.ns), share=share(inspection, f))
        for f in told[AT_LENGTH:]
    ]
    if others:
        st.caption(t("findings.others", others=t("list.next").join(others)))
    if small := [rule_name(f.rule) for f in findings if f.is_small]:
        st.caption(t("findings.small", least=percent(SMALL), names=t("list.next").join(small)))


def _at_length(inspection: Inspection, finding: Finding, number: int) -> None:
    badge = f":{BADGES[finding.severity]}-badge"
    with st.container(border=True, gap="xsmall", key=f"finding-{number}"):
        name = rule_name(finding.rule)
        head = t(
            "findings.head" if inspection.has_one_gpu else "findings.head_gpus", number=number,
            rule=for_markdown(name[:1].upper() + name[1:]), time=short_ms(finding.ns),
            share=percent(finding.share), each=each(finding),
            gpus="" if inspection.has_one_gpu else together(inspection),
        )  # fmt: skip
        severity = t(f"findings.severity_{finding.severity}")
        confidence = t(f"findings.confidence_{finding.confidence}")
        st.markdown(f"{head} {badge}[{severity}] :gray-badge[{confidence}]")
        if means := rule_meaning(finding.rule):
            st.markdown(means)
        st.markdown(
            t("findings.change", advice=for_markdown(advice(finding.rule, finding.advice), 400))
        )
        _evidence(inspection, finding, number)
        _mechanism(inspection, finding, number)


def share(inspection: Inspection, finding: Finding) -> str:
    """Its share, and where there are several GPUs what each has."""
    told = percent(finding.share)
    return told if inspection.has_one_gpu else t("findings.shares", share=told, each=each(finding))


def _evidence(inspection: Inspection, finding: Finding, number: int) -> None:
    """A button for each span that accounts for most of it: shows the place."""
    spans = inspection.trace.spans
    if not finding.evidence:
        st.caption(t("findings.no_evidence"))
        return
    row = st.container(horizontal=True, gap="small", vertical_alignment="center")
    row.markdown(t("findings.evidence"), width="content")
    for place, item in enumerate(finding.evidence):
        name, kind = (str(spans[column][item.span_id]) for column in ("name", "kind"))
        name = for_markdown(span_text(name, kind, inspection.trace.is_engine_dump), 36)
        at = short_ms(int(spans["ts_ns"][item.span_id]))
        row.button(
            t("findings.place", name=name, time=short_ms(item.ns), at=at),
            key=f"evidence-{number}-{place}", on_click=show_span, args=(inspection, item.span_id),
        )  # fmt: skip


def _mechanism(inspection: Inspection, finding: Finding, number: int) -> None:
    """What is missing in the lab's words, the way to its switch, and to the lesson about it."""
    scene = scene_of(finding.rule, finding.mechanism)
    if scene is None:
        return
    times = inspection.step_times
    own = times is not None and not inspection.trace.is_engine_dump
    row = st.container(horizontal=True, gap="medium", vertical_alignment="center")
    row.markdown(t("findings.missing", mechanism=finding.mechanism), width="content")
    row.page_link(
        "lab/pages/timeline.py", label=t("findings.try_own" if own else "findings.try_it"),
        help=t("findings.try_help", scene=scene.name),
        query_params=timeline_query(scene.name, str(times) if own else ""), width="content",
    )  # fmt: skip
    if lesson := lesson_of(finding.rule, finding.mechanism):
        row.page_link(
            "lab/pages/lessons.py", query_params={LESSON: lesson.id}, width="content",
            label=t("findings.lesson", number=lesson.id, title=text(lesson).title),
        )  # fmt: skip
