"""Forking the stepper's run: what changes, and when.

The instant and the changes live in two bound inputs, so that a fork can be shared; the choice
above them only writes into these.
"""

from dataclasses import replace
from functools import partial
from typing import Final

import streamlit as st

from engine.config import RunConfig
from engine.device.cost import MS
from engine.device.durations import DURATIONS
from engine.forks.fork import CHANGEABLE, FIXED, make_fork, read_changes
from engine.mechanisms.table import BY_NAME
from lab.catalogue import t
from lab.guard import one_sentence
from lab.in_url import BOUND, put_into_url, take_from_url
from lab.presses import Button
from lab.runs import Forked, Stepped, forked
from lab.stepper.cursor import Cursor

FORK_AT: Final = "fork_at"
FORK_SET: Final = "fork_set"
WHAT: Final = "fork-what"
VALUE: Final = "fork-value"
FOLD: Final = "fork-fold"
LOOK: Final = "look"
LOOKS = ("fork", "parent")
FACTORS = ("3x", "2x", "10x", "0.5x", "0.1x", "0x", "5ms", "20ms")
"""Offered for a duration; others can be typed."""


def fork_controls(parent: Stepped, cursor: Cursor) -> Forked | None:
    """The choice of a fork, in a fold of its own, open once there is one; the two runs then."""
    made = bool(st.session_state.get(FORK_AT) is not None or st.query_params.get(FORK_AT))
    st.session_state.setdefault(FOLD, made)
    found = None
    with st.expander(t("fork.title"), key=FOLD, on_change=cursor.touch), one_sentence():
        _choice(parent, cursor)
        config = _config(parent.recording.run.config)
        if config is None:
            st.caption(t("fork.idle"))
        else:
            found = forked(parent, config)
        st.caption(t("fork.fixed", toggles=", ".join(f"`{name}`" for name in FIXED)))
    return found


def look(found: Forked, parent: Stepped, cursor: Cursor) -> Stepped:
    """Which of the two runs is shown below the picture; a choice to draw."""
    take_from_url(LOOK, LOOKS, LOOKS[0])
    chosen = st.segmented_control(
        t("fork.look"), LOOKS, required=True, key=LOOK, on_change=cursor.touch,
        format_func=lambda name: t(f"fork.look_{name}"),
    )  # fmt: skip
    put_into_url(LOOK, LOOKS[0])
    return parent if chosen == "parent" else found.fork


def _choice(parent: Stepped, cursor: Cursor) -> None:
    """What changes, to what, and from when."""
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
    what = row.selectbox(
        t("fork.what"), (*DURATIONS, *CHANGEABLE), key=WHAT, format_func=_name, width=280,
        on_change=cursor.touch,
    )  # fmt: skip
    row.selectbox(
        t("fork.value"), FACTORS if what in DURATIONS else BY_NAME[str(what)].values,
        key=f"{VALUE}-{what}", accept_new_options=what in DURATIONS, width=160,
        help=t("fork.value_help"), on_change=cursor.touch,
    )  # fmt: skip
    fork_button(parent, cursor).show(row, t("fork.here"), type="primary", help=t("fork.here_help"))
    row.number_input(
        t("fork.at"), value=None, min_value=0.0, step=1.0, format="%.6f", key=FORK_AT, bind=BOUND,
        width=170, on_change=cursor.touch,
    )  # fmt: skip
    row.text_input(
        t("fork.changes"), key=FORK_SET, bind=BOUND, width=280, placeholder="wait_h2d=off h2d=3x",
        help=t("fork.changes_help"), on_change=cursor.touch,
    )  # fmt: skip
    row.button(
        t("fork.undo"), key="fork-undo", on_click=_no_fork, args=(cursor,),
        disabled=st.session_state.get(FORK_AT) is None,
    )  # fmt: skip


def _name(name: str) -> str:
    return t("fork.duration" if name in DURATIONS else "fork.toggle", name=name)


def fork_button(parent: Stepped, cursor: Cursor) -> Button:
    """The button that forks where the cursor stands."""
    return Button("fork-here", "F", partial(_fork_here, parent, cursor))


def _fork_here(parent: Stepped, cursor: Cursor) -> None:
    """Fork where the cursor stands, with one change more: the one that the choice shows."""
    at_ns = cursor.at_ns(parent.recording)
    cursor.go(at_ns)
    state = st.session_state
    what = str(state[WHAT])
    part = f"{what}={state[f'{VALUE}-{what}']}"
    others = [] if state.get(FORK_AT) is None else _parts(str(state.get(FORK_SET) or ""), what)
    state[FORK_AT], state[FORK_SET] = at_ns / MS, " ".join([*others, part])
    state[FOLD] = True  # a key forks too, and there stands what else may change


def _parts(text: str, without: str) -> list[str]:
    """The changes in a text but for one; none where it cannot be read."""
    try:
        changes = read_changes(text)
    except ValueError:
        return []
    return [f"{name}={value}" for name, value in changes.items() if name != without]


def _no_fork(cursor: Cursor) -> None:
    cursor.touch()
    st.session_state[FORK_AT], st.session_state[FORK_SET] = None, ""


def _config(parent: RunConfig) -> RunConfig | None:
    """The fork that is asked for, None where there is none."""
    at_ms = st.session_state.get(FORK_AT)
    if at_ms is None:
        return None
    fork = make_fork(at_ms, read_changes(str(st.session_state.get(FORK_SET) or "")))
    fork.cost(parent.cost)  # a duration that cannot be set is told here
    return replace(parent, fork=fork)
