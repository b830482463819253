"""Runs and figures that are kept, so that a page answers at once the second time.

Caches are bounded: a study of the default workload is a few MB. Everything is keyed by the
text of the run's configuration, never by its data.
"""

import gc
from collections.abc import Callable
from typing import Any

import streamlit as st

from engine import baseline, execute
from engine.config import RunConfig
from lab.catalogue import t
from lab.study import Study

KEPT_STUDIES = 12

# What the imports made (torch's and plotly's classes) is never garbage: the collector need not
# look through it in the middle of a page (a quarter off the slow toggles).
gc.freeze()


HASHED: dict[str | type[Any], Callable[[Any], Any]] = {RunConfig: RunConfig.key}


@st.cache_resource(max_entries=KEPT_STUDIES, show_spinner=False, hash_funcs=HASHED)
def study_of(config: RunConfig) -> Study:
    """The finished run of a configuration."""
    return Study(execute(config))


@st.cache_resource(max_entries=KEPT_STUDIES, show_spinner=False, hash_funcs=HASHED)
def _correct(config: RunConfig, asynchronous: bool) -> Study:
    """A baseline; the engine keeps its run, too, to compare tokens with."""
    return Study(baseline(config, asynchronous))


def studies(config: RunConfig) -> tuple[Study, Study, Study]:
    """This run, its sync and its async baseline; a spinner shows while they run.

    A run that is a baseline itself is not run twice.
    """
    with st.spinner(t("busy.run"), show_time=True):
        sync = _correct(config.baseline(asynchronous=False), asynchronous=False)
        overlapped = _correct(config.baseline(asynchronous=True), asynchronous=True)
        for correct in (sync, overlapped):
            if correct.run.config.key() == config.key():
                return correct, sync, overlapped
        return study_of(config), sync, overlapped
