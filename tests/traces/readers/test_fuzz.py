"""Damaged files: whatever is done to them, they open or are refused, and sums still hold.

200 files here, all 5,000 with --long; `python -m tests.traces.readers.fuzzing` tries them, too.
"""

import pytest

from tests.traces.readers.fuzzing import (
    COUNT,
    DAMAGES,
    MOST_MEMORY_MIB,
    held,
    memory_mib,
    one_event_damaged,
    originals,
)
from traces import TraceError, open_trace

FEW = 200
PARTS = 5
KEPT = 0.99


@pytest.fixture
def share(request):
    """How many of the files are tried in each part."""
    return (COUNT if request.config.getoption("--long") else FEW) // PARTS


@pytest.mark.parametrize("part", range(PARTS))
def test_a_damaged_file_opens_or_is_refused_and_takes_bounded_time_and_memory(part, share):
    originals()
    before = memory_mib()
    outcomes = [held(number) for number in range(part * share, (part + 1) * share)]
    assert {"opened", "refused"} == set(outcomes)
    assert memory_mib() - before < MOST_MEMORY_MIB


def test_every_undamaged_original_opens():
    for name, data in originals().items():
        assert len(open_trace(data).spans), name


def test_one_damaged_event_costs_no_other(share):
    kept = whole = 0
    for number in range(share):
        names, data = one_event_damaged(number)
        try:
            found = set(open_trace(data).spans["name"])
        except TraceError:
            found = set()
        kept += sum(name in found for name in names)
        whole += len(names)
    assert kept >= KEPT * whole


def test_the_damages_differ():
    assert len({change.__name__ for change in DAMAGES}) == len(DAMAGES) >= 9
