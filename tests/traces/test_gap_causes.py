"""docs/gap-causes.md holds, and what it says of each mode is what was switched off in it.

The document is written by `python -m tests.traces.gap_causes`; each row is tried again here.
"""

from functools import lru_cache

import pytest

from engine.mechanisms.table import BY_NAME
from tests.traces.gap_causes import DOCUMENT, modes_with_a_gap, named, nameless_trace, row_of

MODES = modes_with_a_gap()
ALIKE = {"host-sampling": "carry"}
"""Modes whose gap is that of another toggle: sampled on the host, tokens pass through it, too."""

MOST_UNKNOWN = 0.05


@lru_cache(maxsize=len(MODES))
def found(name: str):
    (mode,) = (mode for mode in MODES if mode.name == name)
    return named(nameless_trace(mode))


def rows():
    first, _ = DOCUMENT.read_text(encoding="utf-8").split("\n## ")
    return [line for line in first.splitlines() if line.startswith("| ")][1:]


def test_the_document_has_a_row_for_each_mode_that_makes_a_gap():
    assert [row.split(" | ")[0].strip("| ") for row in rows()] == [mode.name for mode in MODES]


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_a_row_says_what_is_found_again(mode):
    assert row_of(mode) in rows()


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_the_cause_named_is_the_one_of_the_scene(mode):
    assert found(mode.name).causes[0][0] == mode.cause


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_the_finding_names_what_was_switched_with_its_right_value(mode):
    toggle, _, value = found(mode.name).mechanism.partition("=")
    assert toggle in mode.toggles or toggle == ALIKE[mode.name]
    assert value == BY_NAME[toggle].correct


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_hardly_anything_of_a_complete_trace_cannot_be_told(mode):
    assert found(mode.name).unknown <= MOST_UNKNOWN


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_the_file_does_not_say_what_was_run(mode):
    trace = nameless_trace(mode)
    assert set(trace.meta) == {"format"}
    assert mode.name not in set(trace.spans["name"]) | set(trace.spans["track"])
    keys = {key for args in trace.spans["args"] if args for key in args}
    assert keys <= {"line", "bytes", "waits_for", "cause"}
