"""The Race explorer: one configuration under many timings."""

from collections.abc import Mapping
from dataclasses import replace
from statistics import median

import pandas as pd
import streamlit as st

from engine import execute
from engine.config import RunConfig
from engine.timings.explore import (
    Exploration,
    Outcome,
    cut_where_it_races,
    explore,
    first_wrong_step,
    truth_of,
)
from engine.timings.smallest import Change, smallest_change
from lab.catalogue import t
from lab.chosen import chosen
from lab.escape import for_markdown
from lab.guard import one_sentence
from lab.picture.tools import table_fold
from lab.picture.view import show_figure
from lab.stepper.forks import FORK_AT, FORK_SET
from lab.stepper.race_picture import histogram
from lab.timeline.controls import MOST_JITTER
from lab.timeline.state import Choice
from lab.timeline.verdicts import ALARM, CARD_PX
from lab.units import percent

RUNS = ("50", "200", "500")
JITTER = 25.0
WORKERS, MANY = 2, 200
"""So many processes for so many runs; fewer are done before the first process has started."""

SHOWN = 8
"""Runs of each sort that can be opened."""

EXPLORED, FOUND = "races-explored", "races-found"


def page() -> None:
    """Heading, the two things to do, and what came of them."""
    head = st.container()
    choice = chosen()
    head.markdown(f"# {t('races.title', mode=for_markdown(choice.mode))}")
    st.caption(t("races.lead"))
    with one_sentence():
        config = cut(choice.config())
        if not config.compute:
            st.info(t("races.timing_only"))
            return
        _controls(config)
        _explored(choice, config)
        _found(config)


def _controls(config: RunConfig) -> None:
    """The buttons. While something runs, its progress and a way to stop it."""
    row = st.container(horizontal=True, vertical_alignment="bottom")
    runs = row.segmented_control(
        t("races.runs"), RUNS, default=RUNS[0], required=True, key="races-runs"
    )
    jitter = row.number_input(
        t("races.jitter"), 1.0, MOST_JITTER, JITTER, 5.0, key="races-jitter", width=150,
        help=t("races.jitter_help"),
    )  # fmt: skip
    start = row.button(t("races.start"), key="races-start", type="primary")
    search = row.button(t("races.search"), key="races-search", help=t("races.search_help"))
    st.caption(t("races.cut", steps=config.steps))
    place = st.empty()
    if start or search:
        with place.container(horizontal=True, vertical_alignment="center"):
            bar = st.progress(0.0)
            st.button(t("races.cancel"), key="races-cancel")
        if start:
            _explore(config, jitter, int(runs or RUNS[0]), bar)
        else:
            _search(config, bar)
        place.empty()


def _explore(
    config: RunConfig, jitter: float, runs: int, bar: st.delta_generator.DeltaGenerator
) -> None:
    """Run; what is there is kept at every moment, so that a cancelled exploration is shown."""
    for found in explore(config, jitter, runs, WORKERS if runs >= MANY else 1):
        st.session_state[EXPLORED] = found
        done, wrong = len(found.outcomes), sum(outcome.wrong for outcome in found.outcomes)
        bar.progress(done / runs, t("races.progress", done=done, runs=runs, wrong=wrong))


def _search(config: RunConfig, bar: st.delta_generator.DeltaGenerator) -> None:
    st.session_state.pop(FOUND, None)
    change = None
    for state in smallest_change(config):
        change = state.found
        bar.progress(
            min(1.0, state.tried / 300),
            t("races.searching", tried=state.tried, percent=state.percent),
        )
    st.session_state[FOUND] = config, change


def _explored(choice: Choice, config: RunConfig) -> None:
    """Share, histogram and runs to open, if this configuration was explored."""
    found: Exploration | None = st.session_state.get(EXPLORED)
    if found is None or found.config != config:
        st.caption(t("races.idle"))
        return
    hazards = execute(replace(config, compute=False)).hazards
    wrong = [outcome for outcome in found.outcomes if outcome.wrong]
    _cards(found, wrong, len(hazards))
    runs = len(found.outcomes)
    if not wrong:
        st.caption(t("races.all_right" if hazards else "races.correct", runs=runs))
    else:
        st.markdown(f"**{t('races.histogram')}**")
        counts = found.histogram
        step = max(counts, key=counts.__getitem__)
        alt = t(
            "races.histogram_alt", runs=runs, wrong=len(wrong), step=step, count=counts[step]
        )  # fmt: skip
        show_figure(histogram(counts, config.steps or 0), "races-histogram", alt)
        table_fold("races-histogram", lambda: _counted(counts))
    _runs_to_open(choice, found, wrong)


def _counted(counts: Mapping[int, int]) -> pd.DataFrame:
    """The histogram as a table."""
    return pd.DataFrame({t("races.step"): [*counts], t("races.count"): [*counts.values()]})


def _cards(found: Exploration, wrong: list[Outcome], hazards: int) -> None:
    row = st.container(horizontal=True, gap="xsmall")
    first = f"{median(o.first_wrong for o in wrong):g}" if wrong else t("races.none")
    share, count = percent(found.share), str(hazards)
    cards = (
        ("share", ALARM.format(value=share) if wrong else share,
         t("races.share_note", wrong=len(wrong), runs=len(found.outcomes))),
        ("hazards", ALARM.format(value=count) if hazards else count, t("races.hazards_note")),
        ("first", first, t("races.first_note")),
    )  # fmt: skip
    for name, value, note in cards:
        row.metric(
            t(f"races.{name}"), value, note, delta_color="off", delta_arrow="off", border=True,
            width=CARD_PX + 60,
        )  # fmt: skip


def _runs_to_open(choice: Choice, found: Exploration, wrong: list[Outcome]) -> None:
    """Choose one of the runs; then the sidebar asks for it, and so does every page."""
    right = [outcome for outcome in found.outcomes if not outcome.wrong]
    st.markdown(f"**{t('races.open')}**")
    row = st.container(horizontal=True, gap="xsmall")
    for outcome in (*wrong[:SHOWN], *right[:SHOWN]):
        key = "races.open_wrong" if outcome.wrong else "races.open_right"
        row.button(
            t(key, timing=outcome.timing, step=outcome.first_wrong),
            key=f"races-open-{outcome.timing}", on_click=_choose,
            args=(found.config_of(outcome.timing),),
            type="primary" if outcome.timing == choice.timing else "secondary",
        )  # fmt: skip
    if choice.timing:
        ways = st.container(horizontal=True)
        for page in ("timeline", "stepper"):
            label = t(f"races.to_{page}", timing=choice.timing)
            ways.page_link(f"lab/pages/{page}.py", label=label)


def _choose(config: RunConfig) -> None:
    """Callback: let the sidebar ask for this very run."""
    state = st.session_state
    state["steps"], state["jitter"] = config.steps, config.jitter_percent
    state["timing"] = config.timing


def _found(config: RunConfig) -> None:
    """The smallest change, if it was looked for."""
    searched, change = st.session_state.get(FOUND, (None, None))
    if searched != config:
        return
    if change is None:
        st.info(t("races.not_found", steps=config.steps))
        return
    st.info(_told(config, change))
    if change.percent:
        query = {FORK_AT: "0", FORK_SET: f"{change.duration}={change.factor}"}
        st.page_link("lab/pages/stepper.py", label=t("races.to_fork"), query_params=query)


@st.cache_data(max_entries=50, show_spinner=False, hash_funcs={RunConfig: RunConfig.key})
def cut(config: RunConfig) -> RunConfig:
    """The runs that are explored, cut unless the sidebar says where; kept, for it takes a run."""
    return cut_where_it_races(config)


@st.cache_data(max_entries=50, show_spinner=False, hash_funcs={RunConfig: RunConfig.key})
def _first_wrong(config: RunConfig, change: str, percent: int) -> int:
    return first_wrong_step(Change(change, percent).apply(config), truth_of(config))


def _told(config: RunConfig, change: Change) -> str:
    step = _first_wrong(config, change.duration, change.percent)
    if not change.percent:
        return t("races.visible", step=step)
    way = t("races.longer" if change.percent > 0 else "races.shorter")
    return t(
        "races.found", duration=change.duration, percent=abs(change.percent), way=way, step=step
    )


page()
