"""Where the gaps are is known before their causes, and is the same."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traces import Trace, Unexplained, find_gaps, idle_stretches, list_samples, open_sample
from traces.gap import NOT_ASKED


def assert_same_places(trace: Trace) -> None:
    gaps, early = find_gaps(trace), Unexplained(idle_stretches(trace))
    assert [(g.device, g.start_ns, g.end_ns) for g in early] == [
        (g.device, g.start_ns, g.end_ns) for g in gaps
    ]
    assert all(g.cause == NOT_ASKED and sum(p.ns for p in g.parts) == g.ns for g in early)
    assert early[:2] == [early[number] for number in range(len(early))][:2]


operations = st.tuples(
    st.integers(0, 2), st.integers(0, 50), st.integers(0, 9), st.sampled_from(["kernel", "h2d"])
)


@settings(max_examples=25)
@given(st.lists(operations, max_size=12), st.booleans())
def test_they_are_those_of_find_gaps(work, own) -> None:
    rows = [
        {"device": device, "ts_ns": at, "dur_ns": ns, "kind": kind, "stream": 7, "track": "t"}
        for device, at, ns, kind in work
    ]
    host = {"track": "host", "ts_ns": 3, "dur_ns": 40, "name": "loop"}
    assert_same_places(Trace.from_rows([host, *rows], meta={} if own else {"format": "x"}))


@pytest.mark.parametrize("sample", list_samples()[:2], ids=lambda sample: sample.file)
def test_they_are_so_in_a_recorded_run(sample) -> None:
    assert_same_places(open_sample(sample))
