"""The entry of the lab: `streamlit run app.py`. Navigation and nothing else."""

import streamlit as st

from lab.catalogue import t

st.set_page_config(page_title=t("app.title"), page_icon="⏱️", layout="wide")
st.navigation(
    [
        st.Page("lab/pages/home.py", title=t("home.page"), default=True),
        st.Page("lab/pages/timeline.py", title=t("timeline.page")),
        st.Page("lab/pages/inspect.py", title=t("inspect.page")),
    ],
    position="top",
).run()
