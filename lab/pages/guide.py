"""The page on recording a trace of your own: what to switch on, and what it is good for."""

import streamlit as st

from lab.catalogue import t
from lab.in_url import BOUND
from lab.record_guide import GUIDE, guide_parts


def page() -> None:
    """The guide, a tab for each profiler."""
    st.markdown(f"# {t('guide.page')}")
    if not GUIDE.is_file():
        st.info(t("guide.missing"))
        return
    head, sections = guide_parts(GUIDE.read_text("utf-8"))
    st.markdown(head)
    tabs = st.tabs(list(sections), key="with", on_change="rerun", bind=BOUND)
    for tab, body in zip(tabs, sections.values(), strict=True):
        with tab:
            st.markdown(body)
    st.page_link("lab/pages/inspect.py", label=t("guide.open"))


page()
