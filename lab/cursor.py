"""The stepper's time cursor: where it is, and how it moves.

It lives in one bound number input (ms), so that an instant can be shared. Moving it happens in
callbacks, or while playing, before that input is drawn.
"""

from bisect import bisect_left, bisect_right
from typing import Final

import streamlit as st

from engine.recording import Recording
from lab.units import whole_ns

AT: Final = "at"
PLAYING: Final = "playing"
TOUCHED: Final = "cursor-touched"
"""Set by whatever the reader does: a rerun without it is a tick of the clock."""


def first_look(recording: Recording) -> int:
    """The instant to open with: where the first hazard's later operation begins, or the third
    batch has just been launched (ns)."""
    run = recording.run
    if run.hazards:
        return max(run.device.log.ops[seq].start_ns for seq in run.hazards[0].ops)
    batches = recording.batches
    return batches[min(2, len(batches) - 1)].returned if batches else 0


def cursor_ns(recording: Recording) -> int:
    """Where the cursor stands, within the run (ns)."""
    at_ms = st.session_state.get(AT)
    at_ns = first_look(recording) if at_ms is None else whole_ns(at_ms)
    return min(max(at_ns, 0), recording.run.wall_ns)


def put(at_ns: int) -> None:
    """Set the cursor."""
    st.session_state[AT] = at_ns / 1e6


def touch() -> None:
    """Callback of what the reader changes by hand."""
    st.session_state[TOUCHED] = True


def move(recording: Recording, events: int) -> None:
    """Callback: so many events forward, or back."""
    touch()
    put(recording.step(cursor_ns(recording), events))


def move_batch(recording: Recording, forward: bool) -> None:
    """Callback: to where the next batch begins, or the one before."""
    touch()
    begins = [batch.begun for batch in recording.batches]
    now = cursor_ns(recording)
    place = bisect_right(begins, now) if forward else bisect_left(begins, now) - 1
    if 0 <= place < len(begins):
        put(begins[place])


def play(on: bool) -> None:
    """Callback: play, or pause. No toggle: the space bar may press a button twice."""
    touch()
    st.session_state[PLAYING] = on


def tick(recording: Recording, events: int) -> None:
    """Move on by the clock, unless the reader has just done something; pause at the end."""
    if st.session_state.pop(TOUCHED, False) or not st.session_state.get(PLAYING):
        return
    now = cursor_ns(recording)
    then = recording.step(now, events)
    if then == now:
        st.session_state[PLAYING] = False
    put(then)
