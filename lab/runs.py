"""Runs and figures that are kept, so that a page answers at once the second time.

Caches are bounded: a study of the default workload is a few MB. Everything is keyed by the
text of the run's configuration, never by its data.
"""

import gc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from engine import baseline, execute
from engine.checker.fixes import Edge
from engine.config import RunConfig
from engine.forks.divergence import Divergence, divergence
from engine.recording.recording import Recording, record
from lab.catalogue import t
from lab.study import Study

KEPT_STUDIES = 12
KEPT_RECORDINGS = 6
"""Recordings hold what memory held at every change: some tens of MB for the longest runs."""

# What the imports made (torch's and plotly's classes) is never garbage: the collector need not
# look through it in the middle of a page (a quarter off the slow toggles).
gc.freeze()


HASHED: dict[str | type[Any], Callable[[Any], Any]] = {RunConfig: RunConfig.key, Edge: repr}


@st.cache_resource(max_entries=KEPT_STUDIES, show_spinner=False, hash_funcs=HASHED)
def study_of(config: RunConfig) -> Study:
    """The finished run of a configuration."""
    return Study(execute(config))


@st.cache_resource(max_entries=KEPT_STUDIES, show_spinner=False, hash_funcs=HASHED)
def _correct(config: RunConfig, asynchronous: bool) -> Study:
    """A baseline; the engine keeps its run, too, to compare tokens with."""
    return Study(baseline(config, asynchronous))


@st.cache_resource(max_entries=KEPT_STUDIES, show_spinner=False, hash_funcs=HASHED)
def repaired(config: RunConfig, edges: tuple[Edge, ...]) -> Study:
    """The run of a configuration with the edges of a fix added."""
    return Study(execute(config, repairs=edges))


@dataclass(frozen=True, eq=False)
class Stepped:
    """A run that can be looked at instant by instant, and its picture."""

    recording: Recording
    study: Study


@st.cache_resource(max_entries=KEPT_RECORDINGS, show_spinner=False, hash_funcs=HASHED)
def _recorded(config: RunConfig) -> Stepped:
    recording = record(config)
    return Stepped(recording, Study(recording.run))


def stepped(config: RunConfig) -> Stepped:
    """The recorded run of a configuration; a spinner shows while it runs."""
    with st.spinner(t("busy.run"), show_time=True):
        return _recorded(config)


@dataclass(frozen=True, eq=False)
class Forked:
    """Two futures of a run from an instant on, and where they first differ."""

    parent: Stepped
    fork: Stepped
    at_ns: int
    first: Divergence


@st.cache_resource(max_entries=KEPT_RECORDINGS, show_spinner=False, hash_funcs=HASHED)
def _forked(_parent: Stepped, _fork: Stepped, config: RunConfig) -> Forked:
    at_ns = 0 if config.fork is None else config.fork.at_ns
    return Forked(_parent, _fork, at_ns, divergence(_parent.recording, _fork.recording))


def forked(parent: Stepped, config: RunConfig) -> Forked:
    """A run and its fork `config`; a spinner shows while it runs."""
    return _forked(parent, stepped(config), config)


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
