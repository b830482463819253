"""The Inspect page: a trace file of your own, how idle its devices were, and why."""

import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from lab.catalogue import t
from lab.charts import counters, idle_bars
from lab.controls import BOUND
from lab.escape import for_markdown, one_line
from lab.guard import one_sentence
from lab.hover import cause_text
from lab.inspection import Inspection, around
from lab.opened import MAX_UPLOAD_MB, read_recording, read_sample, read_upload
from lab.recorded import recording
from lab.tables import MAX_SPANS, device_table, gap_table, idle_table, span_table
from lab.units import short_ms
from lab.view import View, show_figure, timeline
from lab.window import Window, WindowKeys, forget, push_window
from traces import list_samples

KEYS = WindowKeys("w0", "w1", "inspect")
ROUND = "upload-round"
JUMPS = 6
GAP_ROWS = 500
MS = st.column_config.NumberColumn(format="%.3f")


def page() -> None:
    """What is open, its verdict, its timeline, its tables."""
    st.markdown(f"# {t('inspect.title')}")
    inspection = _source()
    if inspection is None:
        st.info(t("inspect.empty"))
        return
    _verdict(inspection)
    keys = _lane_picker(inspection)
    jumps = st.container(horizontal=True, gap="small", vertical_alignment="center")
    window = timeline(_view(inspection), [inspection.panel(keys)])
    with jumps:
        _jumps(inspection)
    _tables(inspection, window)


def _source() -> Inspection | None:
    """The uploaded file, or the chosen sample or recording, whichever came last; a bad file is told
    in one sentence."""
    left, right = st.columns([2, 1])
    file = left.file_uploader(
        t("inspect.upload"), max_upload_size=MAX_UPLOAD_MB, key=_uploader_key(),
        help=t("inspect.lead"), on_change=_let_go_of_sample,
    )  # fmt: skip
    samples = {sample.title: sample for sample in list_samples()}
    recorded = recording()
    titles = [*samples, *([t("inspect.recorded")] if recorded else [])]
    if titles:
        title = right.selectbox(
            t("inspect.sample"), [t("inspect.no_sample"), *titles], index=1, key="sample",
            bind=BOUND, on_change=_let_go_of_upload,
        )  # fmt: skip
        if title in samples:
            right.caption(for_markdown(samples[title].about))
    else:
        title = ""
        right.caption(t("inspect.no_samples"))
    if file is not None:
        with one_sentence():
            return read_upload(file)
    elif title in samples:
        with one_sentence():
            return read_sample(samples[title])
    elif recorded and title == t("inspect.recorded"):
        return read_recording(recorded.study)
    return None


def _uploader_key() -> str:
    """A new key is a new, empty uploader: the only way to take a file out of one."""
    return f"trace-file-{st.session_state.get(ROUND, 0)}"


def _let_go_of_sample() -> None:
    """Callback: an uploaded file takes the place of the sample."""
    st.session_state["sample"] = t("inspect.no_sample")
    forget(st.session_state, KEYS)


def _let_go_of_upload() -> None:
    """Callback: a chosen sample takes the place of the uploaded file."""
    st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1
    forget(st.session_state, KEYS)


def _verdict(inspection: Inspection) -> None:
    for sentence in inspection.verdicts:
        st.markdown(f"**{for_markdown(sentence, 400)}**")
    trace, meta = inspection.trace, inspection.trace.meta
    about = t(
        "inspect.file", name=one_line(inspection.name), format=one_line(str(meta.get("format"))),
        spans=f"{len(trace.spans):,}", counters=f"{len(trace.counters):,}",
    )  # fmt: skip
    st.caption(for_markdown(f"{about} {_of_this_lab(inspection)}", 600))
    for warning in inspection.warnings:
        st.warning(for_markdown(warning, 400))
    if inspection.devices:
        st.dataframe(
            device_table(inspection.devices), hide_index=True, column_config=_device_formats()
        )
        st.caption(t("device.legend"))


def _of_this_lab(inspection: Inspection) -> str:
    """The configuration of a run of this lab, if it is one."""
    run = inspection.trace.meta.get("run")
    if not isinstance(run, dict):
        return ""
    switched = run.get("toggles")
    mode = one_line(str(run.get("mode")))
    if not isinstance(switched, dict) or not switched:
        return t("inspect.run_plain", mode=mode)
    toggles = ", ".join(f"{name} = {value}" for name, value in switched.items())
    return t("inspect.run", mode=mode, toggles=one_line(toggles, 200))


def _device_formats() -> dict[str, ColumnConfig | str | None]:
    percents = st.column_config.NumberColumn(format="%.2f")
    names = ("busy", "idle", "copy", "overlap")
    formats: dict[str, ColumnConfig | str | None] = {t(f"device.{name}"): MS for name in names}
    return formats | {t("device.active"): percents, t("device.compute"): percents}


def _lane_picker(inspection: Inspection) -> list[str]:
    labels = {lane.key: one_line(lane.label, 60) for lane in inspection.lanes}
    if len(labels) <= len(inspection.first_lanes):
        return list(labels)
    return st.multiselect(
        t("lanes.label"), list(labels), default=inspection.first_lanes,
        format_func=labels.__getitem__, help=t("lanes.help"), key=f"lanes-{inspection.key}",
    )  # fmt: skip


def _view(inspection: Inspection) -> View:
    return View(
        keys=KEYS,
        extent=inspection.extent,
        default=inspection.first_window,
        busy=inspection.busy_rows,
        gaps=inspection.gaps,
        slots=inspection.trace.is_engine_dump,
        alt=t("inspect.alt", name=one_line(inspection.name)),
    )


def _jumps(inspection: Inspection) -> None:
    """A button for each of the longest gaps: shows it in the picture below."""
    gaps = inspection.longest_gaps(JUMPS)
    if gaps:
        st.markdown(f"**{t('gaps.title')}**", width="content")
    for number, gap in enumerate(gaps, 1):
        cause = for_markdown(cause_text(gap.cause), 28)
        st.button(
            t("gaps.jump", number=number, time=short_ms(gap.ns), cause=cause), key=f"jump-{number}",
            on_click=push_window, args=(st.session_state, KEYS, around(gap, inspection.extent)),
        )  # fmt: skip


def _tables(inspection: Inspection, window: Window) -> None:
    names = ("gaps", "causes", "spans", "counters")
    tabs = st.tabs(
        [t(f"inspect.tab_{name}") for name in names], key="view", on_change="rerun", bind=BOUND
    )
    shows = (_gaps, _causes, _spans, _counters)
    for tab, show in zip(tabs, shows, strict=True):
        if tab.open:
            with tab:
                show(inspection, window)


def _gaps(inspection: Inspection, window: Window) -> None:
    gaps = inspection.longest_gaps(GAP_ROWS)
    if not gaps:
        st.caption(t("gaps.none"))
        return
    st.caption(t("gaps.legend", shown=f"{len(gaps):,}", count=f"{len(inspection.gaps):,}"))
    formats = {t("gaps.start"): MS, t("gaps.ms"): MS}
    st.dataframe(gap_table(gaps), hide_index=True, column_config=formats)


def _causes(inspection: Inspection, window: Window) -> None:
    gaps = inspection.idle_by_cause()
    if not gaps:
        st.caption(t("gaps.none"))
        return
    wall_ms = sum(gaps.values()) + sum(device.busy_ns for device in inspection.devices) / 1e6
    tables = {t("inspect.this"): gaps}, {t("inspect.this"): wall_ms}
    show_figure(idle_bars(*tables), "causes", t("idle.alt"))
    table = idle_table(*tables)
    st.dataframe(table, hide_index=True, column_config=dict.fromkeys(table.columns[1:], MS))


def _spans(inspection: Inspection, window: Window) -> None:
    st.caption(t("spans.legend", most=f"{MAX_SPANS:,}"))
    formats = {t("span.start"): MS, t("span.dur"): MS}
    st.dataframe(span_table(inspection.trace, window), hide_index=True, column_config=formats)


def _counters(inspection: Inspection, window: Window) -> None:
    if inspection.trace.counters.empty:
        st.caption(t("inspect.no_counters"))
        return
    show_figure(counters(inspection.trace, window), "inspect-counters", t("counters.alt"))


page()
