"""The Record page: the chosen run as it really goes on this machine, beside its prediction."""

from dataclasses import replace
from typing import Final

import streamlit as st

from engine.config import RunConfig
from engine.device.step_cost import times_in
from engine.devices import DEVICES, check_device
from lab.catalogue import t
from lab.chosen import chosen
from lab.escape import for_markdown
from lab.guard import one_sentence
from lab.inspect.source import RECORDED
from lab.picture.view import View, timeline
from lab.picture.window import WindowKeys, forget
from lab.record.figures import figure_cards, on_gpu, what_is_active
from lab.record.last import keep, recording
from lab.record.measuring import LIMIT_S, Measured, measure
from lab.timeline.opening import measured_opening
from lab.timeline.scene import panel_of
from lab.timeline.state import Choice
from lab.units import whole_ns

STEPS = 60
"""A run that is not cut in the sidebar is cut after so many steps."""

WIDEN_MS, MOST_WIDEN_MS = 80, 500
WAYS: Final = ("unpaced", "paced", "widened")
KEYS = WindowKeys("r0", "r1", "record")


def page() -> None:
    """Heading, what to record, and what came of it."""
    choice = chosen()
    st.markdown(f"# {t('record.title', mode=for_markdown(choice.mode))}")
    st.caption(t("record.lead"))
    with one_sentence():
        config = _cut(choice)
        if config.compute:
            _controls(config)
        else:
            st.info(t("record.timing_only"))
    found = recording()
    if found is None:
        st.caption(t("record.idle"))
    else:
        _recorded(choice, found)


def _cut(choice: Choice) -> RunConfig:
    config = choice.config()
    return replace(config, steps=config.steps or STEPS)


def _controls(config: RunConfig) -> None:
    """Device, the three ways, and the buttons. While a run is measured, its progress."""
    names = [name for name, kind in DEVICES.items() if kind.measures and not kind.missing()]
    row = st.container(horizontal=True, gap="large")
    device = row.segmented_control(
        t("record.device"), names, default=names[0], required=True, key="record-device",
        help=t("record.device_help"),
    ) or names[0]  # fmt: skip
    ways = [way for way in WAYS if way != "paced" or DEVICES[device].paces]
    way = row.radio(
        t("record.way"), ways, format_func=lambda way: t(f"record.{way}"), key="record-way",
        captions=[t(f"record.{way}_about") for way in ways],
    )  # fmt: skip
    widen_ms = 0
    if way == "widened":
        widen_ms = row.number_input(
            t("record.widen"), 1, MOST_WIDEN_MS, WIDEN_MS, 10, key="record-widen", width=150,
            help=t("record.widen_help"),
        )  # fmt: skip
    config = replace(config, device=device, pace=way == "paced", widen_ms=widen_ms)
    st.caption(t("record.cut", steps=config.steps, limit=f"{LIMIT_S:.0f}"))
    start = st.button(t("record.start"), key="record-start", type="primary")
    place = st.empty()
    if start:
        check_device(device, pace=config.pace, widen_ms=widen_ms, jitter=config.jitter_percent)
        with place.container(horizontal=True, vertical_alignment="center"):
            bar = st.progress(0.0)
            st.button(t("record.stop"), key="record-stop", help=t("record.stop_help"))
        _record(config, bar)
        place.empty()


def _record(config: RunConfig, bar: st.delta_generator.DeltaGenerator) -> None:
    """Run. Whatever is pressed meanwhile ends the run where progress is told, and the page runs
    anew: the last recording is then as it was before."""
    steps = config.steps or STEPS

    def progress(done: int) -> None:
        done = min(done, steps)
        bar.progress(done / steps, t("record.progress", done=done, steps=steps))

    with st.spinner(t("record.running"), show_time=True):
        keep(measure(config, progress))
    forget(st.session_state, KEYS)


def _recorded(choice: Choice, found: Measured) -> None:
    """Figures, the two timelines on one axis, and the ways to take them along."""
    run = found.study.run
    st.markdown(f"## {for_markdown(_named(found))}")
    if run.stopped:
        st.warning(t("record.limit", limit=f"{LIMIT_S:.0f}", steps=run.steps))
    figure_cards(found)
    buttons = st.container(horizontal=True, vertical_alignment="center")
    panels = [
        panel_of(t(f"record.{name}"), study, everything=True, what=what_is_active(found))
        for name, study in (("measured", found.study), ("predicted", found.prediction))
    ]
    timeline(_view(found), panels)
    st.caption(t("record.fitted"))
    with buttons:
        _take_along(choice, found)


def _named(found: Measured) -> str:
    """Which run this is: the sidebar may have moved on."""
    config = found.config
    toggles = ", ".join(f"{name} = {v}" for name, v in config.mechanisms.settings().items())
    key = "paced" if config.pace else "widened" if config.widen_ms else "unpaced"
    return t(
        "record.named", mode=config.mode, device=config.device, way=t(f"record.{key}").lower(),
        steps=found.study.run.steps, toggles=f" ({toggles})" if toggles else "",
    )  # fmt: skip


def _view(found: Measured) -> View:
    study = found.study
    device = t("overview.gpu" if on_gpu(found) else "lane.compute")
    opening = measured_opening(study, whole_ns(study.numbers.step_ms))
    return View(
        keys=KEYS,
        extent=(0, max(study.run.wall_ns, found.prediction.run.wall_ns)),
        default=opening.window,
        why=opening.why,
        busy={device: study.kernels},
        gaps=study.gaps,
        slots=True,
        alt=t("record.alt"),
        end_ns=study.run.wall_ns,
    )


def _take_along(choice: Choice, found: Measured) -> None:
    """The trace as a file or on the Inspect page, and the cost model on the Timeline page."""
    name = f"overlap-lab-{found.config.mode}-{found.config.device}.json.gz"
    st.download_button(
        t("head.download"), lambda: found.study.file, name, "application/gzip",
        help=t("head.download_help"), key="record-download",
    )  # fmt: skip
    st.page_link(
        "lab/pages/inspect.py", label=t("record.to_inspect"),
        query_params={"sample": RECORDED},
    )  # fmt: skip
    choice = replace(choice, cost=str(times_in(found.cost)), workload="")
    st.page_link(
        "lab/pages/timeline.py", label=t("record.take"), help=t("record.take_help"),
        query_params=choice.query(),
    )  # fmt: skip


page()
