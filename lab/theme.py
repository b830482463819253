"""Keeps the text of charts readable when the reader changes between light and dark.

Streamlit puts its theme's colours into a Plotly chart when it first draws it, and not again when
the theme changes (streamlit #11974): the text would stay dark on a dark page until the next
rerun. A style takes the page's own colour instead, for all text outside of bars.
"""

import streamlit as st

CSS = """<style>
.js-plotly-plot :is(.xtick, .ytick) text,
.js-plotly-plot :is([class*="xtitle"], [class*="ytitle"], .annotation-text) {
    fill: currentColor !important;
}
</style>"""


def follow_theme() -> None:
    """Put the style on the page; call it once in a run of the app."""
    st.html(CSS)
