"""The entry of the lab: `streamlit run app.py`. Navigation, and what pages share: the language
and the sidebar."""

import streamlit as st

from lab.catalogue import t
from lab.chosen import choose_for
from lab.language import language_switch
from lab.no_page import say_no_page
from lab.picture.theme import follow_theme


def main() -> None:
    """Run the page that the address asks for."""
    pages = {
        "": [
            st.Page("lab/pages/home.py", title=t("home.page"), default=True),
            st.Page("lab/pages/lessons.py", title=t("lessons.page")),
            st.Page("lab/pages/teachers.py", title=t("teachers.page")),
        ],
        t("app.engine"): [
            st.Page("lab/pages/timeline.py", title=t("timeline.page")),
            st.Page("lab/pages/stepper.py", title=t("stepper.page")),
            st.Page("lab/pages/races.py", title=t("races.page")),
            st.Page("lab/pages/sweep.py", title=t("sweep.page")),
            st.Page("lab/pages/host.py", title=t("host.page")),
            st.Page("lab/pages/record.py", title=t("record.page")),
        ],
        t("app.traces"): [
            st.Page("lab/pages/inspect.py", title=t("inspect.page")),
            st.Page("lab/pages/compare.py", title=t("compare.page")),
            st.Page("lab/pages/guide.py", title=t("guide.page")),
        ],
    }
    # Expanded: on a narrow page all of it, and no "View 3 more" in English.
    page = st.navigation(pages, position="top", expanded=True)
    named = t("app.tab", page=page.title, app=t("app.title")) if page.url_path else t("app.title")
    st.set_page_config(page_title=named, page_icon="⏱️", layout="wide")
    follow_theme()
    language_switch()
    say_no_page([one.url_path for group in pages.values() for one in group])
    choose_for(page.url_path)
    page.run()


if __name__ == "__main__":  # the race explorer's processes load this file, too, and show no page
    main()
