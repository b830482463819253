"""The figures of a measured run, each with what the modelled clock predicts for it."""

import streamlit as st

from engine.devices import DEVICES
from lab.catalogue import t
from lab.record.measuring import Measured
from lab.study import Study
from lab.timeline.verdicts import ALARM, CARD_PX
from lab.units import NS_PER_MS, percent, short_ms

WIDE_PX = CARD_PX + 40
"""Five stand in a row beside the sidebar in a window of 1,440 px, and two in one of 420."""


def figure_cards(found: Measured) -> None:
    """Compute active, step time, total, wrong tokens and hazards: measured, predicted, and how many
    times as long as predicted."""
    row = st.container(horizontal=True, gap="xsmall")
    real, model = found.study.numbers, found.prediction.numbers
    cards = (
        ("active", percent(real.gpu_active), percent(model.gpu_active), ""),
        ("step", t("verdict.ms", ms=f"{real.step_ms:.2f}"),
         t("verdict.ms", ms=f"{model.step_ms:.2f}"), _ratio(real.step_ms, model.step_ms)),
        ("total", short_ms(real.wall_ms * NS_PER_MS), short_ms(model.wall_ms * NS_PER_MS),
         _ratio(real.wall_ms, model.wall_ms)),
        ("wrong", _alarm(_wrong(found.study)), str(_wrong(found.prediction)), ""),
        ("hazards", _alarm(len(found.study.run.hazards)), str(len(found.prediction.run.hazards)),
         ""),
    )  # fmt: skip
    for name, measured, predicted, ratio in cards:
        label = what_is_active(found) if name == "active" else t(f"verdict.{name}")
        row.metric(
            label, measured, t("record.note", predicted=predicted) + ratio,
            delta_color="off", delta_arrow="off", border=True, width=WIDE_PX,
            help=t(f"record.{name}_help"),
        )  # fmt: skip


def on_gpu(found: Measured) -> bool:
    """Whether the kernels ran on a GPU, and not on a CPU thread that stands for it."""
    return DEVICES[found.config.device].where != "cpu"


def what_is_active(found: Measured) -> str:
    """What of the device the share of active time is about."""
    return t("verdict.active" if on_gpu(found) else "record.active")


def _ratio(measured: float, predicted: float) -> str:
    return t("record.ratio", ratio=f"{measured / predicted:.3f}") if predicted else ""


def _wrong(study: Study) -> int:
    return study.diff.count if study.diff else 0


def _alarm(count: int) -> str:
    return ALARM.format(value=count) if count else "0"
