"""Causes of the gaps of foreign traces: who was late, and when nobody can tell."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces import Trace, device_activity, find_gaps, gap_rules, gaps_by_cause, open_trace
from traces.gap import LATENCY, NO_LAUNCH, UNTRACED
from traces.gap_rules import (
    DATA_LOADING,
    EVENTS_MISSING,
    LATE_START,
    QUEUED,
    SHORT,
    SLOW_LAUNCH,
)


def host(name, start, end, category="cpu_op", correlation=None, tid=1):
    args = {} if correlation is None else {"correlation": correlation}
    place = {"pid": 9, "tid": tid, "cat": category, "args": args}
    return {"ph": "X", "name": name, "ts": start, "dur": end - start} | place


def launch(start, correlation, tid=1):
    return host("cudaLaunchKernel", start, start + 5, "cuda_runtime", correlation, tid)


def kernel(start, end, correlation=0, stream=7):
    args = {"device": 0, "stream": stream, "correlation": correlation}
    place = {"pid": 0, "tid": stream, "cat": "kernel", "args": args}
    return {"ph": "X", "name": "k", "ts": start, "dur": end - start} | place


def opened(*events):
    return open_trace(json.dumps(events).encode())


def causes(*events):
    trace = opened(kernel(0, 100, 1), launch(-20, 1), *events)
    gaps = find_gaps(trace)
    assert sum(gap.ns for gap in gaps) == device_activity(trace)[0].idle_ns
    return {cause: ns // 1000 for cause, ns in gaps_by_cause(gaps).items()}


def test_a_late_launch_is_split_by_what_its_thread_did():
    found = causes(
        host("aten::add", 110, 150),
        host("forward", 150, 170, "python_function"),
        host("cudaMalloc", 170, 180, "cuda_runtime"),
        launch(190, 2),
        kernel(200, 300, 2),
    )
    assert found == {
        "CPU operators": 40,
        "Python code": 20,
        "cudaMalloc": 10,
        UNTRACED: 20,
        LATENCY: 10,
    }


@pytest.mark.parametrize(
    ("operator", "cause"),
    [
        ("aten::_local_scalar_dense", ".item()"),
        ("aten::copy_", "blocking copy"),
        ("aten::linear", "cudaStreamSynchronize"),
    ],
)
def test_a_wait_is_named_by_the_operator_around_it(operator, cause):
    found = causes(
        host(operator, 50, 190),
        host("cudaStreamSynchronize", 60, 190, "cuda_runtime"),
        launch(190, 2),
        kernel(195, 300, 2),
    )
    assert found == {cause: 90, LATENCY: 5}


def test_time_in_the_data_loader_is_named_and_so_are_the_operators_in_it():
    found = causes(
        host("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 100, 160),
        host("aten::stack", 120, 150),
        host("cudaStreamSynchronize", 125, 130, "cuda_runtime"),
        host("aten::linear", 160, 190),
        launch(190, 2),
        kernel(200, 300, 2),
    )
    waited = {"cudaStreamSynchronize": 5}
    assert found == {DATA_LOADING: 55, **waited, "CPU operators": 30, LATENCY: 10}


def test_other_threads_are_never_blamed():
    found = causes(host("busy", 100, 190, tid=2), launch(190, 2), kernel(190, 300, 2))
    assert found == {UNTRACED: 90}


def test_a_launch_in_time_clears_the_host():
    assert causes(launch(50, 2), kernel(150, 200, 2)) == {QUEUED: 50}


def test_short_gaps_are_only_summed():
    assert causes(launch(50, 2), kernel(109, 200, 2)) == {SHORT: 9}


def test_without_launch_or_with_lost_events_nobody_is_blamed():
    assert causes(kernel(150, 200)) == {NO_LAUNCH: 50}
    lost = causes(launch(110, 77), launch(140, 2), kernel(150, 200, 2))
    assert lost == {EVENTS_MISSING: 50}


def test_a_start_long_after_the_launch_is_no_latency():
    assert causes(launch(101, 2), kernel(2101, 2200, 2)) == {UNTRACED: 1, LATE_START: 2000}


@pytest.mark.parametrize("loading_us", [0, 1500])
def test_a_launch_call_that_is_slow_itself_is_named_and_so_is_what_it_does(loading_us):
    slow = host("cudaLaunchKernel", 110, 4110, "cuda_runtime", 2)
    loading = host("Module loading", 200, 200 + loading_us, "overhead")
    found = causes(slow, *([loading] if loading_us else []), kernel(4130, 4200, 2))
    named = {UNTRACED: 10, SLOW_LAUNCH: 4000 - loading_us, LATENCY: 20}
    assert found == named | ({"Module loading (overhead)": loading_us} if loading_us else {})


@given(begin=st.integers(-15, 150), returns=st.integers(0, 9_000), starts=st.integers(150, 9_000))
def test_a_slow_call_is_blamed_wherever_it_begins(begin, returns, starts):
    """Before the gap, at its edge or in it: what counts is how long of the gap it takes."""
    returns = max(begin, returns)
    call = host("cudaLaunchKernel", begin, returns, "cuda_runtime", 2)
    found = causes(call, kernel(starts, starts + 70, 2))
    within = min(returns, starts) - max(begin, 100)
    assert found.get(SLOW_LAUNCH, 0) == (within if within >= 1000 else 0)
    assert sum(found.values()) == starts - 100


def test_a_slow_launch_is_not_to_blame_for_what_comes_after_it():
    slow = host("cudaLaunchKernel", 110, 2110, "cuda_runtime", 2)
    found = causes(slow, kernel(9110, 9200, 2))
    assert found == {UNTRACED: 10, SLOW_LAUNCH: 2000, LATE_START: 7000}


def test_overlapping_streams_leave_no_gap():
    assert causes(launch(10, 2), kernel(50, 200, 2, stream=20)) == {}


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 50), st.integers(0, 9)), min_size=1))
def test_all_devices_together_are_told_as_each_alone(work):
    spans = [
        {"ts_ns": ts, "dur_ns": dur, "kind": "kernel", "device": device, "stream": 1}
        for device, ts, dur in work
    ]
    trace = Trace.from_rows(spans, meta={"format": "other"})
    alone = [gap for device in trace.devices for gap in find_gaps(trace, device)]
    assert find_gaps(trace) == alone
    assert [activity.device for activity in device_activity(trace)] == trace.devices


def test_a_device_without_work_has_no_gaps():
    spans = [{"ts_ns": 0, "dur_ns": 1, "kind": "kernel", "device": 0, "stream": 1}]
    assert find_gaps(Trace.from_rows(spans, meta={"format": "other"}), 5) == []


def test_host_threads_that_never_wait_cost_no_search_of_their_own(monkeypatch):
    """And what holds for the whole trace is found once, not once a device."""
    searches = []
    union = gap_rules.span_union
    monkeypatch.setattr(gap_rules, "span_union", lambda s: searches.append(len(s)) or union(s))
    threads = [
        {"ts_ns": n, "dur_ns": 1, "kind": kind, "track": f"thread {n}", "name": "f"}
        for n, kind in enumerate(["op"] * 300 + ["sync"] * 2)
    ]
    kernels = [
        {"ts_ns": n, "dur_ns": 1, "kind": "kernel", "device": device, "track": f"GPU {device}"}
        for device in range(9)
        for n in (0, 100)
    ]
    assert len(find_gaps(Trace.from_rows(threads + kernels, meta={"format": "other"}))) == 9
    assert len(searches) <= 2 * 2
