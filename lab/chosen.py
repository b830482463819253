"""The run that several pages are about, chosen once in the sidebar for all of them.

The app's own script draws these controls, before the page runs: Streamlit takes values and URL
from page to page only for widgets that are not a page's own.
"""

from dataclasses import dataclass
from typing import Final

import streamlit as st

from lab.in_url import say_in_vain
from lab.timeline.address import refused
from lab.timeline.controls import scene_controls
from lab.timeline.state import Choice

PAGES = ("timeline", "stepper", "races", "record")
"""The pages, by their address, that show the chosen run."""

KEY: Final = "chosen"


@dataclass(frozen=True)
class Chosen:
    """What is chosen, and which entries of the URL could not be used."""

    choice: Choice
    refused: tuple[str, ...]


def choose_for(page: str) -> None:
    """Draw the sidebar of a page that shows the chosen run."""
    if page in PAGES:
        bad = tuple(refused(dict(st.query_params)))
        with st.sidebar:
            st.session_state[KEY] = Chosen(scene_controls(), bad)


def chosen() -> Choice:
    """What is chosen; says what the URL asked for in vain."""
    found: Chosen = st.session_state[KEY]
    say_in_vain(found.refused)
    return found.choice
