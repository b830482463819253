"""Known errors become one sentence on the page, never a stack trace."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from engine.config import ConfigError
from engine.device.cost import CostError
from engine.device.durations import DurationError
from engine.device.worker import DeviceError
from engine.forks.fork import ForkError
from engine.measured.fit import FitError
from engine.mechanisms.table import MechanismError
from engine.modes.table import ModeError
from engine.timings.explore import ExploreError
from engine.workloads.workload import WorkloadError
from lab.escape import sentence_for_markdown
from lab.record.measuring import BusyError
from lab.sentences import in_language
from lessons.lesson import LessonError
from traces import TraceError

KNOWN = (
    ModeError, MechanismError, CostError, WorkloadError, TraceError, ConfigError, DeviceError,
    FitError, BusyError, ForkError, DurationError, ExploreError, LessonError,
)  # fmt: skip
LONGEST = 500


@contextmanager
def one_sentence() -> Iterator[None]:
    """Show a known error inside the block as its one sentence, and go on behind the block."""
    try:
        yield
    except KNOWN as error:
        st.error(sentence_for_markdown(in_language(str(error)), LONGEST))
