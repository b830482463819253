"""The row of figures over a timeline: what the run reached, and what is wrong with it."""

import streamlit as st

from lab.catalogue import t
from lab.study import Bound, Study
from lab.units import NS_PER_MS, percent, points, short_ms

CARD_PX = 150
ALARM = ":red[▲ {value}]"
"""Markdown of an alarming value: the alarm colour and a mark."""


def verdict_row(run: Study, sync: Study, bound: Bound) -> None:
    """GPU active, step time, total against the ideal, wrong tokens, hazards, invariants; errors
    where there are any."""
    row = st.container(horizontal=True, gap="xsmall")
    numbers, base = run.numbers, sync.numbers
    steps = max(1, run.run.steps)
    ideal_ms = bound.step_ms * steps
    _card(
        row,
        "active",
        percent(numbers.gpu_active),
        t("verdict.active_delta", points=points(numbers.gpu_active, base.gpu_active)),
    )
    _card(
        row, "step", t("verdict.ms", ms=f"{numbers.step_ms:.2f}"),
        t("verdict.step_delta", factor=f"{base.step_ms / numbers.step_ms:.2f}"),
    )  # fmt: skip
    _card(
        row, "total", short_ms(numbers.wall_ms * NS_PER_MS),
        t("verdict.total_delta", factor=f"{numbers.wall_ms / ideal_ms:.3f}"),
        gpu=f"{bound.gpu_ms:.2f}", host=f"{bound.host_ms:.2f}",
        ideal=short_ms(ideal_ms * NS_PER_MS),
    )  # fmt: skip
    _wrong_card(row, run)
    _hazards_card(row, run)
    broken = len(run.run.invariants)
    _card(
        row, "invariants", _alarm(broken) if broken else t("verdict.hold"),
        t("verdict.broken_note" if broken else "verdict.all"),
    )  # fmt: skip
    if steps_failed := run.run.failed_steps:
        note = t("verdict.error_step", step=steps_failed[0])
        _card(row, "errors", _alarm(len(steps_failed)), note)


def _hazards_card(row: st.delta_generator.DeltaGenerator, run: Study) -> None:
    hazards = run.run.hazards
    if not hazards:
        _card(row, "hazards", "0", t("verdict.none"))
        return
    pairs = f"{sum(hazard.count for hazard in hazards):,}"
    kinds = t("verdict.kinds" if len(hazards) > 1 else "verdict.kind", count=len(hazards))
    _card(row, "hazards", ALARM.format(value=kinds), t("verdict.hazards_note", pairs=pairs))


def _wrong_card(row: st.delta_generator.DeltaGenerator, run: Study) -> None:
    diff = run.diff
    if diff is None:
        _card(row, "wrong", "–", t("verdict.timing_only"))
        return
    if diff.count:
        note = t("verdict.first_step", total=diff.total, step=diff.first_step)
    else:
        note = t("verdict.same", total=diff.total)
    _card(row, "wrong", _alarm(diff.count), note)


def _alarm(count: int) -> str:
    return ALARM.format(value=count) if count else "0"


def _card(
    row: st.delta_generator.DeltaGenerator, name: str, value: str, note: str, **values: str
) -> None:
    row.metric(
        t(f"verdict.{name}"), value, note, delta_color="off", delta_arrow="off", border=True,
        help=t(f"verdict.{name}_help", **values), width=CARD_PX,
    )  # fmt: skip
