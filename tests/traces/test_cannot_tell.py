"""On complete traces hardly any idle time stays without a cause, by our own runs and real files.

The figures stand in docs/gap-causes.md, written by `python -m tests.traces.cannot_tell`. All modes
are summed with --slow; real files where there are any.
"""

import pytest

from tests.traces import cannot_tell
from tests.traces.cannot_tell import Idle, idle_of, is_complete, stated
from tests.traces.test_gap_rules import kernel, launch, opened

MOST_UNKNOWN = 0.05


def test_the_document_states_at_most_a_twentieth_of_each_row():
    rows = stated()
    assert len(rows) > 2
    assert all(unknown <= MOST_UNKNOWN for unknown in rows.values())


@pytest.mark.slow
def test_the_sum_over_all_modes_is_as_the_document_says():
    found = cannot_tell.of_all_modes().unknown
    assert found <= MOST_UNKNOWN
    assert found == pytest.approx(next(iter(stated().values())), abs=1e-4)


@pytest.mark.slow
@pytest.mark.skipif(not cannot_tell.FOLDER.is_dir(), reason="no public traces")
def test_each_complete_real_file_is_as_the_document_says():
    files, rows = cannot_tell.of_public_traces(), stated()
    assert [name for name in files if name not in rows] == []
    for name, idle in files.items():
        assert idle.unknown == pytest.approx(rows[name], abs=1e-4)


def test_what_cannot_be_told_is_counted():
    idle = idle_of(opened(launch(-5, 1), kernel(0, 10, 1), kernel(40, 50)))
    assert idle == Idle(idle_ns=30_000, unknown_ns=30_000)
    assert (idle + Idle(idle_ns=30_000)).unknown == 0.5


@pytest.mark.parametrize(
    ("name", "events", "complete"),
    [
        ("whole", [launch(-5, 1), kernel(0, 10, 1)], True),
        ("no_launch", [launch(-5, 1), kernel(0, 10, 1), kernel(40, 50)], False),
        ("no_work", [launch(-5, 1), kernel(0, 10, 1), launch(20, 2)], False),
        ("sglang_Qwen3-8B_decode", [launch(-5, 1), kernel(0, 10, 1)], False),
        ("no_device", [launch(-5, 1)], False),
    ],
)
def test_a_trace_is_complete_where_launches_and_work_belong_together(name, events, complete):
    assert is_complete(name, opened(*events)) == complete
