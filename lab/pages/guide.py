"""The page on recording a trace of your own: what to switch on, and what it is good for."""

from functools import partial

import streamlit as st

from lab.catalogue import LANGUAGE, language, t
from lab.coded_tabs import Tab, coded_tabs
from lab.record.guide import guide, guide_file


def page() -> None:
    """The guide, a tab for each profiler."""
    st.markdown(f"# {t('guide.page')}")
    if not guide_file(LANGUAGE).is_file():
        st.info(t("guide.missing"))
        return
    head, sections = guide(language())
    st.markdown(head)
    tabs: dict[str, Tab] = {}
    for code, (title, body) in sections.items():
        tabs[code] = title, partial(_show, body)
    coded_tabs("with", tabs)
    st.page_link("lab/pages/inspect.py", label=t("guide.open"))


def _show(body: str) -> None:
    st.markdown(body)


page()
