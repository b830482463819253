"""Causes of the gaps of foreign traces: who was late, and when nobody can tell."""

import json

import pytest

from traces import device_activity, find_gaps, gaps_by_cause, open_trace
from traces.gap import LATENCY, NO_LAUNCH, UNTRACED
from traces.gap_rules import EVENTS_MISSING, LATE_START, QUEUED, SHORT


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


def causes(*events):
    trace = open_trace(json.dumps([kernel(0, 100, 1), launch(-20, 1), *events]).encode())
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


def test_overlapping_streams_leave_no_gap():
    assert causes(launch(10, 2), kernel(50, 200, 2, stream=20)) == {}
