"""Looks that Streamlit does not give: charts that follow a change of theme, links, and paper.

Streamlit puts its theme's colours into a Plotly chart when it first draws it, and not again when
the theme changes (streamlit #11974): the text would stay dark on a dark page until the next
rerun. A style takes the page's own colour instead, for all text outside of bars.

A link to another page has the colour of plain text there; here it is underlined, as links in a text
are. A table that has the focus has a frame. Plotly's own bar of buttons is hidden: saving has a
menu below each picture, whose script presses the hidden button.

On paper there is nothing to press: controls, menus and closed folds are left out, figures and
tables are not cut, and text is dark, whatever the theme. A chart keeps the width that it has on the
screen: the sheet is so large that one fits which was drawn in a window of 1,920 px.
"""

import streamlit as st

CSS = """<style>
.js-plotly-plot :is(.xtick, .ytick) text,
.js-plotly-plot :is([class*="xtitle"], [class*="ytitle"], .annotation-text) {
    fill: currentColor !important;
}
[data-testid="stPageLink"] a p { text-decoration: underline; text-underline-offset: 3px; }
.js-plotly-plot .modebar-container { display: none; }
[data-testid="data-grid-canvas"]:focus-visible {
    outline: 2px solid currentColor; outline-offset: -2px;
}
@media print {
    @page { size: A3 landscape; margin: 10mm; }
    :root, body, .stApp, .stApp * { print-color-adjust: exact; }
    html, body, .stApp { background: #fff !important; color: #1f2328 !important; }
    .stApp :is(p, li, h1, h2, h3, h4, td, th, div, summary) { color: #1f2328 !important; }
    .stApp code { background: #eef0f2 !important; color: #1f2328 !important; }
    .stApp, [data-testid="stAppViewContainer"], [data-testid="stMain"] {
        position: static !important; overflow: visible !important; height: auto !important;
        display: block !important;
    }
    :is([data-testid="stHeader"], [data-testid="stSidebar"], [data-testid="stToolbar"],
        [data-testid="stStatusWidget"], [data-testid="stElementToolbar"],
        [data-testid="stPopoverBody"], [data-testid="stTooltipContent"]),
    :is(.stButton, .stDownloadButton, .stLinkButton, .stPopover, .stFileUploader,
        .stButtonGroup, .stSlider, .stNumberInput, .stTextInput, .stSelectbox, .stMultiSelect,
        .stCheckbox, .stTabs [role="tablist"]),
    details:not([open]) { display: none !important; }
    :is(.stPlotlyChart, .stDataFrame, .stMetric, .stAlert, .stCode, tr) { break-inside: avoid; }
    .js-plotly-plot { zoom: .85; }
    :is(h1, h2, h3, h4) { break-after: avoid; }
}
</style>"""


def follow_theme() -> None:
    """Put the styles on the page; call it once in a run of the app."""
    st.html(CSS)
