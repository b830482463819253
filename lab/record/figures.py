"""The figures of a measured run, each with what the modelled clock predicts for it."""

import streamlit as st

from lab.catalogue import t
from lab.record.measuring import Measured
from lab.study import Study
from lab.timeline.verdicts import ALARM, CARD_PX
from lab.units import NS_PER_MS, percent, short_ms

WIDE_PX = CARD_PX + 60


def figure_cards(found: Measured) -> None:
    """GPU active, step time, total, wrong tokens and hazards: measured, predicted, and how many
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
        row.metric(
            t(f"verdict.{name}"), measured, t("record.note", predicted=predicted) + ratio,
            delta_color="off", delta_arrow="off", border=True, width=WIDE_PX,
            help=t(f"record.{name}_help"),
        )  # fmt: skip


def _ratio(measured: float, predicted: float) -> str:
    return t("record.ratio", ratio=f"{measured / predicted:.3f}") if predicted else ""


def _wrong(study: Study) -> int:
    return study.diff.count if study.diff else 0


def _alarm(count: int) -> str:
    return ALARM.format(value=count) if count else "0"
