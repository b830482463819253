"""The trace model: defaults, order, flow ids, and what it refuses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.traces.builders import traces
from traces.schema import ENGINE_FORMAT, SPAN_DEFAULTS, Trace


def test_missing_columns_take_their_default_in_the_fixed_order():
    trace = Trace.from_rows([{"ts_ns": 5, "name": "schedule"}])
    assert list(trace.spans) == list(SPAN_DEFAULTS)
    assert trace.spans.loc[0].to_dict() == SPAN_DEFAULTS | {"ts_ns": 5, "name": "schedule"}
    assert trace.spans["ts_ns"].dtype == "int64"
    assert trace.meta["format"] == ENGINE_FORMAT


def test_rows_and_columns_build_the_same_trace():
    rows = [{"ts_ns": 3, "dur_ns": 1, "name": "a"}, {"ts_ns": 1, "dur_ns": 2, "name": "b"}]
    columns = {"ts_ns": [3, 1], "dur_ns": [1, 2], "name": ["a", "b"]}
    assert Trace.from_rows(rows).spans.equals(Trace.from_rows(columns).spans)


@given(traces())
def test_spans_are_sorted_by_start_then_the_longer_first(trace):
    keys = [(ts, -dur) for ts, dur in zip(trace.spans["ts_ns"], trace.spans["dur_ns"], strict=True)]
    assert keys == sorted(keys)
    assert trace.spans.index.tolist() == list(range(len(keys)))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=9), st.data())
def test_flows_follow_their_spans_through_the_sorting(starts, data):
    place = st.integers(0, len(starts) - 1)
    pairs = data.draw(st.lists(st.tuples(place, place), max_size=5))
    trace = Trace.from_rows(
        {"ts_ns": starts, "name": [str(n) for n in range(len(starts))]},
        [{"src": a, "dst": b} for a, b in pairs],
    )
    names = trace.spans["name"]
    found = [(int(names[a]), int(names[b])) for a, b, _ in trace.flows.itertuples(index=False)]
    assert found == pairs


@pytest.mark.parametrize(
    ("spans", "flows", "complaint"),
    [
        ([{"colour": 1}], [], "unknown columns"),
        ([{"kind": "party"}], [], "unknown span kinds"),
        ([{"dur_ns": -1}], [], "negative duration"),
        ({"ts_ns": [1, 2], "name": ["a"]}, [], "different lengths"),
        ([{}], [{"src": 0, "dst": 1}], "does not exist"),
    ],
)
def test_what_cannot_be_a_trace_is_refused(spans, flows, complaint):
    with pytest.raises(ValueError, match=complaint):
        Trace.from_rows(spans, flows)


def test_an_empty_trace_is_a_trace():
    trace = Trace.from_rows([])
    assert len(trace.spans) == len(trace.flows) == len(trace.counters) == 0
    assert trace.devices == []
