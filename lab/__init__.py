"""The lab: Streamlit pages, figures, level of detail, state in the URL, wording.

Modules that name streamlit draw or remember; the others are plain functions on traces and
runs and can be tested without a page. Nothing here times, races or judges anything: that is
the work of `engine` and `traces`.
"""
