"""This session's last recording: kept from page to page, with the cost model fitted from it."""

from typing import Final

import streamlit as st

from engine.device.cost import CostModel
from engine.device.costs import COSTS
from lab.measuring import RECORDED, Measured

_KEY: Final = "recording"


def keep(recording: Measured) -> None:
    """Put a recording in place of the one before."""
    st.session_state[_KEY] = recording


def recording() -> Measured | None:
    """The last recording, if there is one."""
    found: Measured | None = st.session_state.get(_KEY)
    return found


def known_costs() -> dict[str, CostModel]:
    """The cost models to choose from, by name: the presets, and the recording's."""
    found = recording()
    return {**COSTS, RECORDED: found.cost} if found else dict(COSTS)
