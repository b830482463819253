"""The language switch of the app: who is asked for the language, and the control.

It is kept in the session and stands in the URL (`?lang=zh`), so that a link opens in the language
in which it was copied. Without either the browser's own language decides.
"""

from typing import Final

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from lab.catalogue import LANGUAGE, LANGUAGES, ask_language_of, t
from lab.in_url import put_into_url, take_from_url

KEY: Final = "lang"


def wanted() -> str:
    """The language of the session that draws just now; English where none does."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return LANGUAGE
    chosen = st.session_state.get(KEY) or st.query_params.get(KEY)
    return chosen if chosen in LANGUAGES else of_browser()


def of_browser() -> str:
    """The language that the browser asks for, where the lab has it."""
    asked = (st.context.locale or "").partition("-")[0]
    return asked if asked in LANGUAGES else LANGUAGE


def language_switch() -> None:
    """The control, at the right edge of the page."""
    take_from_url(KEY, LANGUAGES, of_browser())
    row = st.container(horizontal=True, horizontal_alignment="right")
    row.segmented_control(
        t("language.label"), list(LANGUAGES), required=True, key=KEY, on_change=keep_choices,
        format_func=LANGUAGES.__getitem__, label_visibility="collapsed", width="content",
    )  # fmt: skip
    put_into_url(KEY, of_browser())


def keep_choices() -> None:
    """Callback of the switch: everything chosen on the page stays as it is.

    A browser tells a choice by the name that it shows, and in the new language that is no name of
    the list any more. Set anew, the choice leads, and the browser takes it over. What is no choice
    (a button, a file, a chart's selection) may not be set.
    """
    for key, value in st.session_state.items():
        chosen = value if isinstance(value, list) else [value]
        if chosen and all(type(one) in (str, int, float) for one in chosen):
            st.session_state[key] = value


ask_language_of(wanted)
