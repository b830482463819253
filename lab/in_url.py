"""Widgets whose value stands in the URL as a code, whatever they show for it.

Streamlit's own binding writes what a widget shows; lessons and languages are shown by names that
differ from language to language, and a link must open in each of them.

Whole numbers it binds itself, but for those that it cannot read.
"""

from collections.abc import Collection, Mapping, Sequence
from math import isinf
from typing import Final, Literal

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from lab.catalogue import t
from lab.escape import for_markdown

BOUND: Final = "query-params"
IN_VAIN: Final = "asked-in-vain"
"""In the session: what the URL asked for and is not there, by key."""

MOST_SHOWN = 40
"""Letters of a value that are repeated to the reader."""


def bound_number(key: str) -> Literal["query-params"] | None:
    """How the widget of a whole number is bound to the URL: not at all where the URL has a
    number without end for it (1e400, inf), of which Streamlit would make an exception. Such an
    entry is taken out of the URL."""
    try:
        endless = isinf(float(st.query_params.get(key, "0")))
    except ValueError:
        return BOUND
    if endless:
        del st.query_params[key]
    return None if endless else BOUND


def by_history() -> bool:
    """Whether the page runs because the browser went back or forward: then the URL leads."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def take_from_url(key: str, values: Collection[str], default: str) -> None:
    """Before a widget is drawn: give it the URL's value, where it has none yet and that is one.
    Where it is none, a sentence says so until something else is chosen.

    It is set anew in every run: then the session keeps it while another page is open.
    """
    known = key in st.session_state and not by_history()
    asked = st.session_state[key] if known else st.query_params.get(key, default)
    st.session_state[key] = asked if asked in values else default
    in_vain: dict[str, str] = st.session_state.setdefault(IN_VAIN, {})
    if not known and asked not in values:
        in_vain[key] = asked
    elif asked != default:
        in_vain.pop(key, None)
    if key in in_vain:
        say_in_vain([f"{key}={in_vain[key][:MOST_SHOWN]}"])


def say_in_vain(entries: Sequence[str]) -> None:
    """Say that the address asks for what the lab does not have: entries as "name=value"."""
    if entries:
        st.warning(for_markdown(t("head.refused", entries=", ".join(entries)), 400))


def put_into_url(key: str, default: str) -> None:
    """After it is drawn: let the URL say its value, unless that is the default."""
    say_in_url(key, st.session_state.get(key) or default, default)


def say_in_url(key: str, value: str, default: str = "") -> None:
    """Let the URL say a value; the default has no entry."""
    if value == default:
        st.query_params.pop(key, None)
    elif st.query_params.get(key) != value:
        st.query_params[key] = value


def say_all_in_url(entries: Mapping[str, str], names: Collection[str]) -> None:
    """Let the URL say `entries`, and nothing for the rest of `names`, as one step of the browser's
    history. Going back or forward makes no step of its own."""
    now = st.query_params.to_dict()
    wanted = {name: value for name, value in now.items() if name not in names} | dict(entries)
    if wanted != now and not by_history():
        st.query_params.from_dict(wanted)
