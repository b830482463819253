"""The search for a switch among all mechanisms, which stand in groups that are closed at first.

The one that is found can be switched at once, by a second control that stands in for its own: that
one keeps its place in its group, and what the session and the URL say of it.
"""

from collections.abc import Callable, Mapping

import streamlit as st

from engine.mechanisms.table import BY_NAME, MOST, Info
from lab.catalogue import t, t_or

FOUND = "found-switch"
WIDE = """<style>
[data-testid=stSelectboxVirtualDropdown] { min-width: min(44rem, 92vw); }
</style>"""
"""A list may be wider than the sidebar that it hangs from: what a switch protects is a sentence."""


def find_switch(values: Mapping[str, str], choose: Callable[[str, str], None]) -> None:
    """Draw the search, and a control for what is found. `values` has every toggle's value now;
    `choose(name, value)` sets one."""
    st.html(WIDE)
    name: str | None = st.selectbox(
        t("find_switch.label"), list(BY_NAME), index=None, key=FOUND, format_func=_told,
        placeholder=t("find_switch.placeholder"), filter_mode="contains",
    )  # fmt: skip
    if name is None:
        return
    info, key = BY_NAME[name], f"{FOUND}-{name}"
    value = values[name]
    st.session_state[key] = int(value) if info.is_number else value

    def chosen() -> None:
        choose(name, str(st.session_state[key]))

    _control(info, key, chosen)
    st.caption(t("find_switch.group", group=t_or(f"group.{info.group}", info.group)))


def _told(name: str) -> str:
    """A toggle by its name and what it protects, either of which may be looked for."""
    return f"{name}: {t_or(f'mechanism.{name}.protects', BY_NAME[name].protects)}"


def _control(info: Info, key: str, chosen: Callable[[], None]) -> None:
    if info.is_number:
        st.number_input(f"`{info.name}`", 1, MOST, step=1, key=key, on_change=chosen)
    else:
        st.radio(f"`{info.name}`", info.values, key=key, on_change=chosen, horizontal=True)
