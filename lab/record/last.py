"""This session's last recording, kept from page to page."""

from typing import Final

import streamlit as st

from lab.record.measuring import Measured

_KEY: Final = "recording"


def keep(recording: Measured) -> None:
    """Put a recording in place of the one before."""
    st.session_state[_KEY] = recording


def recording() -> Measured | None:
    """The last recording, if there is one."""
    found: Measured | None = st.session_state.get(_KEY)
    return found
