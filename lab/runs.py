"""Runs and figures that are kept, so that a page answers at once the second time.

Caches are bounded: a study of the default workload is a few MB. Everything is keyed by the
text of the run's configuration, never by its data.
"""

import streamlit as st

from engine import execute
from engine.config import RunConfig
from lab.catalogue import t
from lab.study import Study

KEPT_STUDIES = 32


@st.cache_resource(
    max_entries=KEPT_STUDIES, show_spinner=False, hash_funcs={RunConfig: RunConfig.key}
)
def study_of(config: RunConfig) -> Study:
    """The finished run of a configuration."""
    return Study(execute(config))


def studies(config: RunConfig) -> tuple[Study, Study, Study]:
    """This run, its sync and its async baseline; a spinner shows while they run."""
    with st.spinner(t("busy.run"), show_time=True):
        return (
            study_of(config),
            study_of(config.baseline(asynchronous=False)),
            study_of(config.baseline(asynchronous=True)),
        )
