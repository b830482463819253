"""Tabs whose open one is known by a code, in the session and in the URL.

Streamlit knows a tab by its label, which differs from language to language: another language would
open the first tab, and a link only the tabs of the language in which it was copied.
"""

from collections.abc import Callable, Mapping

import streamlit as st

from lab.in_url import put_into_url, take_from_url

Tab = tuple[str, Callable[[], None]]
"""A label, and what draws the tab's content."""


def coded_tabs(key: str, tabs: Mapping[str, Tab]) -> None:
    """Draw tabs by code, and the content of the open one, which alone is worked out. `key` is the
    URL's parameter."""
    labels = {code: label for code, (label, _) in tabs.items()}
    first, shown = next(iter(tabs)), f"{key}-shown"

    def take() -> None:
        label = st.session_state[shown]
        st.session_state[key] = next(code for code in labels if labels[code] == label)

    take_from_url(key, labels, first)
    st.session_state[shown] = labels[st.session_state[key]]
    for place, (_, show) in zip(
        st.tabs(list(labels.values()), key=shown, on_change=take), tabs.values(), strict=True
    ):
        if place.open:
            with place:
                show()
    put_into_url(key, first)
