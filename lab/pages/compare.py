"""The Compare page: two traces on one axis, and what changed from the first to the second."""

import streamlit as st

from lab.catalogue import t
from lab.escape import for_markdown, one_line
from lab.guard import one_sentence
from lab.in_url import put_into_url, take_from_url
from lab.inspect.base import base_text
from lab.inspect.comparing import (
    aligned,
    cause_changes,
    first_window,
    idle_shares,
    idle_told,
    panel_of,
    predicted,
    shifts_told,
    split_told,
    step_changes,
    steps_told,
)
from lab.inspect.damage import damage
from lab.inspect.inspection import Inspection
from lab.inspect.source import Picker, source
from lab.inspect.tabs import in_ms
from lab.picture.charts import idle_bars
from lab.picture.charts import idle_told as bars_told
from lab.picture.view import View, show_figure, timeline
from lab.picture.window import WindowKeys
from lab.sentences import in_language
from lab.units import short_ms
from traces import Comparison, compare

KEYS = WindowKeys("c0", "c1", "compare")
PICKERS = (Picker("a", 0, KEYS), Picker("b", 1, KEYS))
NONE, MODES = "none", ("none", "sync", "async")


def page() -> None:
    """Both traces, what changed in words, the picture, the tables."""
    st.markdown(f"# {t('compare.title')}")
    st.caption(t("compare.lead"))
    places = st.columns(2, gap="large")
    first = source(PICKERS[0], places[0].container(), t("compare.a"))
    second = source(PICKERS[1], places[1].container(), t("compare.b"))
    take_from_url("predicted", MODES, NONE)
    mode = places[1].segmented_control(
        t("compare.predicted"), MODES, required=True, key="predicted",
        format_func=lambda name: t(f"compare.predicted_{name}"),
    ) or NONE  # fmt: skip
    put_into_url("predicted", NONE)
    with one_sentence():
        if first and mode != NONE:
            second = _predicted(first, mode)
        if first is None or second is None:
            wanted = PICKERS[:1] if mode != NONE else PICKERS
            if not all(picker.is_used for picker in wanted):  # else a refusal stands above
                st.info(t("compare.needs_two"))
            return
        result = compare(first.trace, second.trace)
        _told(first, second, result)
        _picture(first, second, result)
        _tables(result)


def _predicted(first: Inspection, mode: str) -> Inspection | None:
    """The lab's own run of the first trace's numbers."""
    times = first.step_times
    if times is None:
        reason = in_language(first.prediction.cannot_tell) or t("outlook.no_times")
        st.warning(for_markdown(t("compare.predicted_cannot", reason=reason), 400))
        return None
    trace = _run(str(times), mode, len(first.prediction.parts), times)
    name = t("compare.predicted_name", mode=mode)
    return Inspection(trace, name, f"{first.key} {mode}")


_run = st.cache_resource(max_entries=4, show_spinner=False)(
    lambda key, mode, steps, _times: predicted(_times, mode, steps)
)


def _told(first: Inspection, second: Inspection, result: Comparison) -> None:
    """The verdict in words: the steps, then every finding that came or went."""
    st.markdown(f"#### {for_markdown(steps_told(result), 300)}")
    st.markdown(for_markdown(split_told(result), 300))
    for inspection, side in ((first, result.a), (second, result.b)):
        steps = inspection.steps
        told = t(
            "compare.verdict", name=one_line(inspection.name), idle=idle_told(inspection, side),
            count=steps.count, median=short_ms(steps.median_ns) if steps.count else "–",
            base=base_text(inspection),
        )  # fmt: skip
        st.caption(for_markdown(told, 300))
    for inspection in (first, second):
        if inspection.steps.is_guess:
            told = t("compare.guess", name=one_line(inspection.name), guess=t("steps.guess"))
            st.caption(for_markdown(told, 400))
    if result.shifts:
        changes = (change[:1].upper() + change[1:] for change in shifts_told(result))
        lines = "\n".join(f"- {for_markdown(change, 300)}" for change in changes)
        st.markdown(f"**{t('compare.changed')}**\n\n{lines}")
    else:
        st.markdown(t("compare.nothing"))


def _picture(first: Inspection, second: Inspection, result: Comparison) -> None:
    idle = [idle_told(*side) for side in ((first, result.a), (second, result.b))]
    both = aligned(first, second)
    extent = (min(one.extent[0] for one in both), max(one.extent[1] for one in both))
    view = View(
        keys=KEYS, extent=extent, default=first_window(*both), busy={}, gaps=[],
        slots=all(one.trace.is_engine_dump for one in both),
        alt=t("compare.alt", first=one_line(first.name), second=one_line(second.name)),
    )  # fmt: skip
    timeline(view, [panel_of(*side) for side in zip(both, idle, strict=True)])
    for one in both:
        damage(one)


def _tables(result: Comparison) -> None:
    """Idle time by cause in both, and each step."""
    of = t("compare.per_step" if result.per_step else "compare.per_run")
    if result.has_several_devices:
        of = t("compare.mean_gpu", of=of)
    st.markdown(f"**{t('compare.of', of=of)}**")
    table = cause_changes(result)
    if not table.empty:
        shares = idle_shares(result)
        show_figure(idle_bars(*shares), "compare-idle", t("idle.alt", told=bars_told(*shares)))
    st.dataframe(table, hide_index=True, placeholder="–", column_config=in_ms(*table.columns[1:]))
    if result.aligned:
        st.markdown(f"**{t('compare.each_step')}**")
        steps = step_changes(result)
        st.dataframe(
            steps, hide_index=True, placeholder="–", column_config=in_ms(*steps.columns[1:])
        )


page()
