"""The Stepper page: one run, and everything that holds at one instant of it."""

from functools import partial

import streamlit as st

from engine.recording.recording import Recording
from lab.catalogue import t
from lab.chosen import chosen
from lab.escape import for_markdown
from lab.guard import one_sentence
from lab.picture.view import show_timeline
from lab.presses import Button, act_upon
from lab.runs import Forked, Stepped, stepped
from lab.stepper.cursor import Cursor, current_cursor, entry, put_into_address
from lab.stepper.fork_words import differences
from lab.stepper.forks import fork_button, fork_controls, look
from lab.stepper.host import (
    batches_html,
    host_text,
    loop_html,
    requests_html,
    slots_html,
    streams_html,
)
from lab.stepper.html import boxed, side_by_side
from lab.stepper.memory import IO, KV, buffers_html, kv_html
from lab.stepper.picture import picture, picture_window, two_futures
from lab.timeline.controls import WINDOW
from lab.timeline.state import MOST_TOKENS
from lab.units import exact_ms

TICK_S = 0.7
STRIDES = ("1", "5", "25")


def page() -> None:
    """Heading, and the part that moves."""
    head = st.container()
    choice = chosen()
    head.markdown(f"# {t('stepper.title', mode=for_markdown(choice.mode))}")
    st.caption(t("stepper.lead"))
    if choice.output_tokens() > MOST_TOKENS:
        st.info(t("stepper.too_long"))
        return
    with one_sentence():
        shown = stepped(choice.config())
        cursor = current_cursor()
        run_every = TICK_S if cursor.playing else None
        st.fragment(_look, run_every=run_every)(shown, cursor, cursor.playing)


def _look(parent: Stepped, cursor: Cursor, playing: bool) -> None:
    """The cursor and all that holds there; runs again by itself while `playing`."""
    pressed = _buttons(cursor.shown or parent.recording, cursor).values()
    act_upon(cursor.presses, "stepper", [*pressed, fork_button(parent, cursor)])
    top, below, now = st.container(), st.container(), st.empty()
    with below:
        found = fork_controls(parent, cursor)
        shown = parent if found is None else look(found, parent, cursor)
    cursor.shown = recording = shown.recording
    cursor.tick(recording, int(st.session_state.get("stride") or STRIDES[0]))
    put_into_address(cursor)
    if cursor.playing != playing:
        st.rerun()
    with top:
        _controls(recording, cursor)
    at_ns = cursor.at_ns(recording)
    snapshot = recording.at(at_ns)
    now.markdown(_now(shown, at_ns) + " " + for_markdown(host_text(snapshot.host)))
    _picture(shown, found, cursor, at_ns)
    st.html(boxed(side_by_side((loop_html(snapshot.host), streams_html(snapshot.streams, at_ns)))))
    st.html(boxed(side_by_side((batches_html(snapshot), slots_html(snapshot)))))
    st.caption(t("stepper.points_help"))
    _memory(shown, at_ns)
    st.markdown(f"**{t('stepper.requests')}**")
    st.html(boxed(requests_html(snapshot.requests)))
    _ways_on(shown, at_ns)


def _picture(shown: Stepped, found: Forked | None, cursor: Cursor, at_ns: int) -> None:
    """The run, or both futures of a fork, around the instant."""
    if found is None:
        gantt, alt = picture(shown.study, at_ns), t("stepper.alt", ms=exact_ms(at_ns))
    else:
        differences(found, cursor)
        gantt, alt = two_futures(found, at_ns), t("fork.alt", ms=exact_ms(at_ns))
    show_timeline(gantt, "stepper-picture", alt, slots=True)


def _now(shown: Stepped, at_ns: int) -> str:
    times = shown.recording.times
    number = sum(at <= at_ns for at in times)
    return t("stepper.now", ms=exact_ms(at_ns), number=f"{number:,}", count=f"{len(times):,}")


def _buttons(recording: Recording, cursor: Cursor) -> dict[str, Button]:
    """What can be pressed, by name."""
    moves = (
        ("batch_back", "Shift+Left", partial(cursor.move_batch, recording, False)),
        ("back", "Left", partial(cursor.move, recording, -1)),
        ("forward", "Right", partial(cursor.move, recording, 1)),
        ("batch_forward", "Shift+Right", partial(cursor.move_batch, recording, True)),
    )
    buttons = {name: Button(f"step-{name}", key, act, repeats=True) for name, key, act in moves}
    return buttons | {"play": Button("step-play", "Space", cursor.play)}


def _controls(recording: Recording, cursor: Cursor) -> None:
    """Back and forth by event and by batch, play and pause, and the instant itself."""
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
    with row:
        entry(cursor, recording)
    buttons = _buttons(recording, cursor)
    for name in ("batch_back", "back", "forward", "batch_forward"):
        buttons[name].show(row, t(f"stepper.{name}"))
    buttons["play"].show(
        row, t("stepper.pause" if cursor.playing else "stepper.play"), type="primary"
    )
    row.segmented_control(
        t("stepper.stride"), STRIDES, default=STRIDES[0], required=True, key="stride",
        on_change=cursor.touch,
    )  # fmt: skip


def _memory(shown: Stepped, at_ns: int) -> None:
    """The slots' buffers and the KV blocks."""
    recording = shown.recording
    st.markdown(f"**{t('stepper.buffers')}**")
    if not recording.run.config.compute:
        st.caption(t("stepper.timing_only"))
    ops = recording.run.device.log.ops
    tables = buffers_html(recording.buffers_at(at_ns, *IO), ops)
    st.html(boxed(side_by_side(tables)))
    st.caption(t("stepper.buffers_help"))
    st.markdown(f"**{t('stepper.kv')}**")
    blocks = recording.at(at_ns).blocks
    st.html(boxed(kv_html(recording.buffers_at(at_ns, KV), blocks)))
    st.caption(t("stepper.kv_help"))


def _ways_on(shown: Stepped, at_ns: int) -> None:
    start, end = picture_window(shown.study, at_ns)
    query = {WINDOW.start: f"{start / 1e6}", WINDOW.end: f"{end / 1e6}"}
    st.page_link("lab/pages/timeline.py", label=t("stepper.to_timeline"), query_params=query)


page()
