"""Processes of one file whose correlation ids are the same: whose operation is whose, or nobody."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces import find_gaps, gaps_by_cause, open_trace, read_traces, what_if
from traces.gap import CANNOT_TELL
from traces.gap_rules import SHARED_IDS

PIDS = (100, 200)
LAUNCH, SYNC = "cudaLaunchKernel", "cudaStreamSynchronize"


def call(pid, ts, number, name=LAUNCH):
    where = {"cat": "cuda_runtime", "pid": pid, "tid": pid, "args": {"correlation": number}}
    return {"ph": "X", "name": name, "ts": ts, "dur": 5} | where


def work(pid, ts, number, device=None, row=None):
    """A kernel, called by the process that launched it."""
    device = PIDS.index(pid) if device is None else device
    args = {"device": device, "stream": 7, "correlation": number}
    place = {"cat": "kernel", "pid": device if row is None else row, "tid": 7, "args": args}
    return {"ph": "X", "name": str(pid), "ts": ts, "dur": 90} | place


def arrow(ph, event, number):
    place = {key: event[key] for key in ("pid", "tid", "ts")}
    return {"ph": ph, "cat": "ac2g", "name": "ac2g", "id": number, "bp": "e"} | place


def with_arrows(events, head_first=False, offset=0):
    """Each event with its end of an arrow behind it; a call's stands behind its operations'."""
    found = []
    for event in events:
        ends = "f" if event["cat"] == "kernel" else "s"
        found += [event, arrow(ends, event, event["args"]["correlation"] + offset)]
    return found[::-1] if head_first else found


def bound(events):
    """(launching process, process of the operation) of each edge, and the trace."""
    trace = open_trace(json.dumps({"schemaVersion": 1, "traceEvents": events}).encode())
    pid, name = trace.spans["pid"], trace.spans["name"]
    launches = trace.flows[trace.flows["kind"] == "launch"]
    return [(pid[a], name[b]) for a, b in zip(launches["src"], launches["dst"], strict=True)], trace


def rank(pid, late=0):
    """Two launches and their kernels."""
    calls = [call(pid, 0, 1), call(pid, 50 + late, 2)]
    return [*calls, work(pid, 10, 1), work(pid, 510, 2)]


RIGHT = [(str(pid), str(pid)) for pid in PIDS for _ in range(2)]


def test_without_anything_that_tells_nobody_is_blamed_and_a_note_says_why():
    edges, trace = bound(
        [event for pair in zip(rank(100), rank(200, 450), strict=True) for event in pair]
    )
    assert edges == []
    assert set(gaps_by_cause(find_gaps(trace))) == {SHARED_IDS}
    (note,) = trace.meta["warnings"]
    assert note.startswith(
        "4 operations have correlation ids that calls of several processes share"
    )
    reason = what_if(trace).cannot_tell
    assert "missing" not in reason
    assert "traced back to its launch" in reason


@pytest.mark.parametrize("head_first", [False, True])
@pytest.mark.parametrize("offset", [0, 1000])
def test_arrows_tell_where_files_stand_one_behind_the_other_or_have_ids_of_their_own(
    head_first, offset
):
    first = with_arrows(rank(100), head_first)
    edges, trace = bound(first + with_arrows(rank(200, 450), head_first, offset))
    assert sorted(edges) == RIGHT
    assert trace.meta["warnings"] == []


def test_what_a_merged_file_says_is_what_its_parts_say():
    def text(events):
        return json.dumps({"schemaVersion": 1, "traceEvents": events}).encode()

    parts = [with_arrows(rank(100)), with_arrows(rank(200, 450))]
    apart = read_traces([text(part) for part in parts])
    together = open_trace(text(parts[0] + parts[1]))
    assert gaps_by_cause(find_gaps(together)) == gaps_by_cause(find_gaps(apart))


def test_a_device_row_that_bears_the_process_tells():
    events = [*rank(100)[:2], *rank(200)[:2]]
    events += [work(pid, 10, number, row=pid) for pid in PIDS for number in (1, 2)]
    edges, _ = bound(events)
    assert sorted(edges) == RIGHT


def test_a_device_number_that_is_a_process_by_chance_tells_nothing():
    """In a container a process may be 1, and so may a device."""
    calls = [call(1, 0, 1), call(200, 0, 1)]
    assert bound([*calls, work(200, 10, 1, device=1)])[0] == []


def test_a_wait_with_the_same_id_is_no_rival():
    events = [call(100, 0, 1), call(200, 0, 1, SYNC), work(100, 10, 1)]
    assert bound(events)[0] == [("100", "100")]
    events = [call(100, 0, 1), call(200, 0, 1, "cudaMemcpy"), work(100, 10, 1)]
    assert bound(events)[0] == []


ranks = st.lists(st.tuples(st.integers(0, 300), st.integers(0, 2), st.booleans()), max_size=4)


@given(
    st.tuples(ranks, ranks),
    st.sampled_from(["one behind the other", "by time"]),
    st.booleans(),
    st.sampled_from([(0, 1), (0, 0)]),
)
def test_no_operation_is_ever_bound_to_another_process(both, order, head_first, devices):
    """Whatever is launched, lost or waited for; where each has a device of its own."""
    parts = []
    for pid, device, launched in zip(PIDS, devices, both, strict=True):
        events = []
        for number, (ts, count, waits) in enumerate(launched, 1):
            at = 1000 * number + ts
            events.append(call(pid, at, number, SYNC if waits else LAUNCH))
            later = range(0 if waits else count)
            events += [work(pid, at + 10 + 500 * n, number, device) for n in later]
        parts.append(with_arrows(events, head_first))
    merged = parts[0] + parts[1]
    if order == "by time":
        merged.sort(key=lambda event: event["ts"])
    if merged:
        edges, trace = bound(merged)
        is_whole = all(count or waits for launched in both for _, count, waits in launched)
        assert all(caller == owner for caller, owner in edges)
        causes = gaps_by_cause(find_gaps(trace))
        assert len(edges) or all(cause.startswith((CANNOT_TELL, "short")) for cause in causes)
        if order != "by time" and is_whole and devices == (0, 1):
            assert len(edges) == len(trace.gpu_spans())
