"""Asynchronous ids have a scope: a process's own pair in it alone, global ones across processes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces import open_trace


def mark(ph, ts, pid, **ids):
    return {"ph": ph, "cat": "c", "name": "n", "pid": pid, "tid": 1, "ts": ts, **ids}


def spans(*events):
    """(start, length) in µs of each span, and the warnings."""
    trace = open_trace(json.dumps(events).encode())
    times = zip(trace.spans["ts_ns"] // 1000, trace.spans["dur_ns"] // 1000, strict=True)
    return sorted(times), trace.meta["warnings"]


GLOBAL = {"id2": {"global": "0x1"}}
LOCAL = {"id2": {"local": "0x1"}}


@pytest.mark.parametrize(("begins", "ends"), ["be", "SF"])
def test_a_span_with_a_global_id_may_end_in_another_process(begins, ends):
    assert spans(mark(begins, 0, 1, **GLOBAL), mark(ends, 30, 2, **GLOBAL)) == ([(0, 30)], [])


def test_a_local_id_of_two_processes_is_two_ids():
    both = [mark("b", 0, 1, **LOCAL), mark("b", 5, 2, **LOCAL)]
    assert spans(*both, mark("e", 7, 1, **LOCAL), mark("e", 9, 2, **LOCAL)) == (
        [(0, 7), (5, 4)],
        [],
    )


def test_a_global_id_is_none_of_the_same_text_in_another_scope():
    found, warnings = spans(mark("b", 0, 1, **GLOBAL), mark("e", 30, 1, **LOCAL))
    assert len(found) == 1
    assert len(warnings) == 2


scopes = st.sampled_from(["global", "local", None])


def scope_of(track):
    """What makes a track one of its own: of a global id the process is no part."""
    scope, number, pid = track
    return scope, number, None if scope == "global" else pid


@given(
    st.lists(
        st.tuples(scopes, st.integers(1, 3), st.integers(1, 2)), max_size=6, unique_by=scope_of
    )
)
def test_every_span_is_paired_with_the_end_in_its_scope(tracks):
    """Each track begins and ends once, a global one in two processes; one stray end would tell."""
    events = []
    for place, (scope, number, pid) in enumerate(tracks):
        ids = {"id2": {scope: f"0x{number}"}} if scope else {"id": number}
        other = 3 - pid if scope == "global" else pid
        events += [mark("b", place, pid, **ids), mark("e", 100 + place, other, **ids)]
    if events:
        assert spans(*events) == ([(place, 100) for place in range(len(tracks))], [])


def test_an_id2_that_is_no_object_still_tells_tracks_apart():
    first, second = {"id2": 5}, {"id2": [6]}
    events = [mark("b", 0, 1, **first), mark("b", 1, 1, **second)]
    assert spans(*events, mark("e", 7, 1, **first), mark("e", 9, 1, **second)) == (
        [(0, 7), (1, 8)],
        [],
    )
