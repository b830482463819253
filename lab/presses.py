"""Keys and buttons of a page whose order matters: each press is acted upon once, and in its order.

Of buttons pressed while a run is under way Streamlit tells the next run which they were, and
neither their order nor how often. So a component catches the presses in the browser and tells
all those that the server has not taken yet, with running numbers. It is state and no event, and
is acted upon at the beginning of the page's run and in no callback: a run may end wherever it
touches the session's state, and what was told is then still there for the next. Runs overlap, too:
the next begins while the one before has not noticed that it is to end. So there is a lock, under
which presses are acted upon and whatever they change is read and written.

The buttons stay Streamlit's, with callbacks of their own: where the component is not there yet,
these are called.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock
from typing import Any, Final
from uuid import uuid4

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

FOLDER = Path(__file__).parent / "browser"
MOST: Final = 1000
"""Presses that are taken at once; nobody presses that fast."""

KEYS = {"space": " ", "left": "arrowleft", "right": "arrowright"}
"""What browsers call the keys that Streamlit's `shortcut` calls otherwise, in lower case."""

_component = st.components.v2.component(
    "presses", html="<i hidden></i>", css=(FOLDER / "presses.css").read_text("utf-8"),
    js=(FOLDER / "presses.js").read_text("utf-8"), isolate_styles=False,
)  # fmt: skip


@dataclass(frozen=True)
class Button:
    """A button that a key presses, too: its widget's key, its `shortcut` in Streamlit's words, and
    what it does. `repeats`: as long as the key is held down."""

    key: str
    shortcut: str
    act: Callable[[], None]
    repeats: bool = False

    def show(self, place: DeltaGenerator, label: str, **options: Any) -> None:  # noqa: ANN401
        """Draw it; `options` are those of Streamlit's button."""
        place.button(label, key=self.key, shortcut=self.shortcut, on_click=self.act, **options)


@dataclass(eq=False)
class Presses:
    """One reader's presses on one page; `taken` is the number of the last that was acted upon."""

    session: str = field(default_factory=lambda: uuid4().hex)
    taken: int = 0
    lock: AbstractContextManager[bool] = field(default_factory=RLock)

    def act(self, value: Mapping[str, Any] | None, buttons: Mapping[str, Button]) -> None:
        """Act upon the presses in a component's value that were not, by the buttons' keys."""
        with self.lock:
            for number, name in told(value, self.session):
                if number > self.taken:
                    try:
                        if name in buttons:
                            buttons[name].act()
                    except Exception:
                        self.taken = number  # a fault is told once, and not tried again and again
                        raise
                    self.taken = number


def told(value: Mapping[str, Any] | None, session: str) -> list[tuple[int, str]]:
    """Numbers and names of the presses in a component's value; none where it holds none, or
    those of another session."""
    found = (value or {}).get("told")
    if not isinstance(found, Mapping) or found.get("session") != session:
        return []
    presses = found.get("presses")
    entries = presses[:MOST] if isinstance(presses, list) else []
    return [
        (entry[0], entry[1])
        for entry in entries
        if isinstance(entry, list) and len(entry) == 2
        and type(entry[0]) is int and isinstance(entry[1], str)
    ]  # fmt: skip


def act_upon(presses: Presses, page: str, buttons: Iterable[Button]) -> None:
    """Act upon what was pressed, and go on listening. Called first of all on a page: an element
    whose place changes begins anew, and would miss what is pressed meanwhile."""
    key = f"presses-{page}"
    by_key = {button.key: button for button in buttons}
    presses.act(st.session_state.get(key), by_key)
    _component(
        key=key, on_told_change=lambda: None,
        data={
            "session": presses.session, "taken": presses.taken,
            "keys": {browser_key(button.shortcut): key for key, button in by_key.items()},
            "repeatable": [key for key, button in by_key.items() if button.repeats],
        },
    )  # fmt: skip


def browser_key(shortcut: str) -> str:
    """A shortcut as the component calls its key: "Shift+Left" is "shift+arrowleft"."""
    *modifiers, key = shortcut.lower().split("+")
    return "+".join([*modifiers, KEYS.get(key, key)])
