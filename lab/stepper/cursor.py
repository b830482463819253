"""The stepper's time cursor: where it stands, and how it moves.

Presses change a `Cursor` and nothing else. Streamlit may end a run wherever it touches the
session's state, if another key or a tick of the clock comes meanwhile, and what was asked for
would be lost; a widget bound to the instant would bring back what the browser last heard of. So
the page itself writes the instant into the URL, by which it can be shared.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from math import isfinite
from typing import Final

import streamlit as st

from engine.recording.recording import Recording
from lab.catalogue import t
from lab.in_url import by_history, say_in_url
from lab.presses import Presses
from lab.units import MOST_MS, whole_ns

AT: Final = "at"
"""The URL's parameter: an instant in ms."""

KEY: Final = "stepper-cursor"
TYPED: Final = "stepper-typed"


@dataclass(eq=False)
class Cursor:
    """One reader's cursor. `asked_ns` is None until an instant is asked for; `touched` is set by
    whatever the reader does: a rerun without it is a tick of the clock. `shown` is the run that
    was drawn last, by whose events a press moves."""

    asked_ns: int | None = None
    playing: bool = False
    touched: bool = False
    shown: Recording | None = None
    presses: Presses = field(default_factory=Presses)

    def at_ns(self, recording: Recording) -> int:
        """Where the cursor stands, within the run (ns)."""
        at_ns = first_look(recording) if self.asked_ns is None else self.asked_ns
        return min(max(at_ns, 0), recording.run.wall_ns)

    def touch(self) -> None:
        """Callback of what the reader changes by hand."""
        self.touched = True

    def go(self, at_ns: int) -> None:
        """To an instant."""
        self.touched = True
        self.asked_ns = at_ns

    def move(self, recording: Recording, events: int) -> None:
        """So many events forward, or back."""
        with self.presses.lock:
            self.go(recording.step(self.at_ns(recording), events))

    def move_batch(self, recording: Recording, forward: bool) -> None:
        """To where the next batch begins, or the one before."""
        begins = [batch.begun for batch in recording.batches]
        with self.presses.lock:
            now = self.at_ns(recording)
            place = bisect_right(begins, now) if forward else bisect_left(begins, now) - 1
            self.go(begins[place] if 0 <= place < len(begins) else now)

    def play(self) -> None:
        """Play, or pause."""
        with self.presses.lock:
            self.touched = True
            self.playing = not self.playing

    def tick(self, recording: Recording, events: int) -> None:
        """Move on by the clock, unless the reader has just done something; pause at the end."""
        with self.presses.lock:
            touched, self.touched = self.touched, False
            if touched or not self.playing:
                return
            now = self.at_ns(recording)
            self.asked_ns = recording.step(now, events)
            self.playing = self.asked_ns != now

    def take(self, text: str) -> None:
        """To the instant that a URL asks for, in ms; nonsense asks for none."""
        try:
            at_ms = float(text)
        except ValueError:
            at_ms = float("nan")
        self.asked_ns = whole_ns(max(at_ms, 0.0)) if isfinite(at_ms) else None


def first_look(recording: Recording) -> int:
    """The instant to open with: where the first hazard's later operation begins, or the third
    batch has just been launched (ns)."""
    run = recording.run
    if run.hazards:
        return max(run.device.log.ops[seq].start_ns for seq in run.hazards[0].ops)
    batches = recording.batches
    return batches[min(2, len(batches) - 1)].returned if batches else 0


def current_cursor() -> Cursor:
    """This session's cursor. The URL says where it stands when the page is entered, or come to by
    the browser's ways back and forward; after that the cursor leads."""
    state = st.session_state
    entered = TYPED not in state  # the entry's state is gone when its page was left
    cursor: Cursor = state.setdefault(KEY, Cursor())
    if entered or by_history():
        cursor.take(st.query_params.get(AT, ""))
    return cursor


def put_into_address(cursor: Cursor) -> None:
    """Let the URL say where the cursor stands; while it plays, where it was."""
    if not cursor.playing:
        say_in_url(AT, "" if cursor.asked_ns is None else str(cursor.asked_ns / 1e6))


def entry(cursor: Cursor, recording: Recording) -> None:
    """A field to type an instant into (ms); empty, it shows where the cursor stands."""

    def typed() -> None:
        at_ms = st.session_state[TYPED]
        if at_ms is not None:
            st.session_state[TYPED] = None
            cursor.go(whole_ns(at_ms))

    st.number_input(
        t("stepper.at"), value=None, min_value=0.0, max_value=MOST_MS, step=1.0, format="%.6f",
        key=TYPED, placeholder=f"{cursor.at_ns(recording) / 1e6:.6f}", width=190, on_change=typed,
    )  # fmt: skip
