"""A recorded wait of one stream for another becomes an edge between the right operations."""

import json

from tests.traces.test_gap_rules import host, kernel, launch
from traces import find_critical_path, open_trace


def wait(at, correlation, stream, on_stream, recorded_by):
    args = {
        "device": 0, "stream": stream, "correlation": correlation, "wait_on_stream": on_stream,
        "wait_on_cuda_event_record_corr_id": recorded_by,
    }  # fmt: skip
    event = {"ph": "X", "cat": "cuda_sync", "name": "Stream Wait Event", "ts": at, "dur": 1}
    return event | {"pid": 0, "tid": stream, "args": args}


EVENTS = [
    launch(0, 1), launch(10, 2), host("cudaEventRecord", 20, 21, "cuda_runtime", 3), launch(25, 4),
    launch(30, 5), host("cudaStreamWaitEvent", 40, 41, "cuda_runtime", 6), wait(40, 6, 9, 7, 3),
    launch(45, 7), launch(52, 8),
    kernel(10, 100, 1, 7), kernel(100, 200, 2, 7), kernel(200, 600, 4, 7),
    kernel(35, 80, 5, 9), kernel(230, 300, 7, 9), kernel(300, 900, 8, 9),
]  # fmt: skip


def edges(events):
    trace = open_trace(json.dumps(events).encode())
    names = trace.spans["correlation"]
    found = trace.flows[trace.flows["kind"] == "event"]
    return [(names[a], names[b]) for a, b in zip(found["src"], found["dst"], strict=True)]


def test_what_was_enqueued_before_the_record_holds_back_what_is_enqueued_behind_the_wait():
    assert edges(EVENTS) == [(2, 7)]


def test_the_critical_path_follows_it():
    path = find_critical_path(open_trace(json.dumps(EVENTS).encode()))
    assert ("event", 230_000) in [(part.after, part.start_ns) for part in path.segments]


def test_a_wait_for_what_is_not_in_the_trace_is_no_edge():
    without_record = [event for event in EVENTS if event["name"] != "cudaEventRecord"]
    assert edges(without_record) == []
    assert edges([*EVENTS[:6], wait(40, 6, 9, 77, 3), *EVENTS[7:]]) == []
    assert edges([*EVENTS[:6], wait(40, 6, 9, None, None), *EVENTS[7:]]) == []


def test_calls_of_several_processes_with_one_id_draw_no_edge():
    other = host("cudaEventRecord", 12, 13, "cuda_runtime", 3) | {"pid": 10}
    assert edges([*EVENTS, other]) == []
