"""The critical path: one chain through host and device that the length of a run is made of."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings

from tests.traces.builders import Diagram, traces
from tests.traces.test_gap_rules import host, kernel, launch
from traces import Trace, open_trace
from traces.critical_path import HELD_UP, NOT_RECORDED, WAKE_UP, as_json, find_critical_path
from traces.gap import LATENCY, UNTRACED
from traces.schema import BUSY_HOST_KINDS, GPU_KINDS, HOST

PUBLIC = Path(
    os.environ.get("OVERLAP_LAB_PUBLIC_TRACES")
    or Path(__file__).parents[3] / "shared" / "public_traces"
)
WAITS = {WAKE_UP, HELD_UP, NOT_RECORDED, LATENCY, UNTRACED}


def foreign(*events):
    return open_trace(json.dumps(events).encode())


def told(trace):
    return [(s.resource, s.name, s.start_ns, s.end_ns) for s in find_critical_path(trace).segments]


def tied(trace):
    return [s.after for s in find_critical_path(trace).segments]


@settings(max_examples=settings.default.max_examples // 2)
@given(traces())
def test_segments_follow_each_other_over_the_whole_run_each_in_its_event_or_a_stated_wait(trace):
    path = find_critical_path(trace)
    spans = trace.spans
    on_host = spans["kind"].isin(BUSY_HOST_KINDS) & (spans["device"] == HOST)
    work = spans[on_host | (spans["kind"].isin(GPU_KINDS) & (spans["device"] >= 0))]
    if work.empty:
        assert not path.segments
        return
    start, end = int(work["ts_ns"].min()), int((work["ts_ns"] + work["dur_ns"]).max())
    edges = [start, *(segment.end_ns for segment in path.segments)]
    assert edges == [*(segment.start_ns for segment in path.segments), end]
    assert all(segment.ns > 0 for segment in path.segments)
    for segment in path.segments:
        if segment.resource not in WAITS:
            row = work.loc[segment.span_id]
            assert (row["track"], row["name"]) == (segment.resource, segment.name)
            assert row["ts_ns"] <= segment.start_ns
            assert segment.end_ns <= row["ts_ns"] + row["dur_ns"]
    assert path.ns == end - start
    assert not path.segments or abs(sum(path.share.values()) - 1) < 1e-9


def test_a_host_that_is_slow_is_the_path_and_the_kernels_under_it_are_not():
    d = Diagram()
    first = d.host("launch 1", 0, 10, kind="launch")
    d.gpu("compute", "kernel", 10, 30, launch=first)
    d.host("prepare", 10, 50)
    second = d.host("launch 2", 50, 60, kind="launch")
    d.gpu("compute", "kernel", 60, 80, launch=second, name="last")
    assert told(d.trace()) == [
        ("host", "launch 1", 0, 10),
        ("host", "prepare", 10, 50),
        ("host", "launch 2", 50, 60),
        ("compute", "last", 60, 80),
    ]
    assert tied(d.trace())[1:] == ["thread", "thread", "launch"]


def test_a_wait_of_the_host_leads_to_the_operation_that_ended_it():
    d = Diagram()
    call = d.host("launch", 0, 10, kind="launch")
    kernel = d.gpu("compute", "kernel", 12, 40, launch=call)
    d.gpu("D2H", "d2h", 40, 50, launch=call, after=(kernel,))
    d.host("wait", 10, 53, kind="sync")
    d.host("read", 53, 60)
    assert told(d.trace()) == [
        ("host", "launch", 0, 10),
        (LATENCY, LATENCY, 10, 12),
        ("compute", "kernel", 12, 40),
        ("D2H", "d2h", 40, 50),
        (WAKE_UP, "wait", 50, 53),
        ("host", "read", 53, 60),
    ]
    assert tied(d.trace())[2:5] == ["launch", "event", "sync"]


def test_a_wait_that_found_the_work_done_is_host_work_as_any_other():
    d = Diagram()
    call = d.host("launch", 0, 10, kind="launch")
    d.gpu("compute", "kernel", 10, 20, launch=call)
    d.host("prepare", 10, 30)
    d.host("wait", 30, 32, kind="sync")
    assert [name for _, name, _, _ in told(d.trace())] == ["launch", "prepare", "wait"]


def test_of_two_things_waited_for_the_later_one_is_on_the_path():
    d = Diagram()
    call = d.host("launch", 0, 5, kind="launch")
    copy = d.gpu("H2D", "h2d", 5, 40, launch=call)
    d.gpu("compute", "kernel", 5, 20, launch=call, name="before")
    d.gpu("compute", "kernel", 40, 60, launch=call, after=(copy,), name="behind")
    assert [name for _, name, _, _ in told(d.trace())] == ["launch", "h2d", "behind"]


def test_kernels_that_overlap_on_one_stream_hand_over_where_the_next_begins():
    trace = foreign(launch(0, 1), launch(6, 2), kernel(10, 30, 1), kernel(28, 50, 2))
    assert [(name, a, b) for _, name, a, b in told(trace)][-2:] == [
        ("k", 10_000, 28_000),
        ("k", 28_000, 50_000),
    ]


def test_a_launch_so_long_that_the_queue_was_full_waits_for_the_device():
    full = host("cudaLaunchKernel", 5, 405, "cuda_runtime", 2)
    trace = foreign(launch(0, 1), full, kernel(10, 300, 1), kernel(405, 420, 2))
    assert (WAKE_UP, "cudaLaunchKernel", 300_000, 405_000) in told(trace)


def test_what_starts_late_for_no_recorded_reason_is_not_explained():
    trace = foreign(launch(0, 1), kernel(500, 600, 1))
    assert [row[0] for row in told(trace)][1] == HELD_UP
    assert NOT_RECORDED in [row[0] for row in told(foreign(kernel(0, 5, 1), kernel(80, 90, 2, 9)))]


def test_what_ended_just_before_on_another_stream_is_assumed_to_have_been_waited_for():
    trace = foreign(
        launch(0, 1), launch(5, 2), kernel(10, 100, 1, stream=7), kernel(102, 120, 2, stream=9)
    )
    last = find_critical_path(trace).segments[-1]
    assert last.after == "assumed"


def test_a_thread_that_another_one_set_to_work_comes_after_it():
    spans = [
        {"track": "a", "name": "forward", "ts_ns": 0, "dur_ns": 10},
        {"track": "b", "name": "backward", "ts_ns": 15, "dur_ns": 20},
    ]
    trace = Trace.from_rows(spans, [{"src": 0, "dst": 1, "kind": "other"}])
    assert told(trace) == [
        ("a", "forward", 0, 10),
        (UNTRACED, UNTRACED, 10, 15),
        ("b", "backward", 15, 35),
    ]


def two_threads(*spans, pids=("p", "p")):
    """Spans (thread 0 or 1, name, begin, end in µs) of the threads a and b."""
    return Trace.from_rows([
        {"track": "ab"[thread], "pid": pids[thread], "name": name, "ts_ns": begin * 1_000,
         "dur_ns": (end - begin) * 1_000}
        for thread, name, begin, end in spans
    ])  # fmt: skip


def names(trace):
    return [name for _, name, _, _ in told(trace)]


def test_a_thread_that_does_nothing_leads_to_the_one_that_works_meanwhile():
    """Two training steps: forward on one thread, backward on another, which sleeps between."""
    trace = two_threads(
        (0, "forward 1", 0, 100), (1, "backward 1", 105, 200), (0, "update 1", 203, 300),
        (0, "forward 2", 302, 400), (1, "backward 2", 400, 500),
    )  # fmt: skip
    work = [row for row in told(trace) if row[0] != UNTRACED]
    assert [name for _, name, _, _ in work] == [
        "forward 1", "backward 1", "update 1", "forward 2", "backward 2",
    ]  # fmt: skip
    assert find_critical_path(trace).share[UNTRACED] == 10 / 500
    assert tied(trace).count("hand-over") == 3


def test_a_call_that_is_open_and_began_meanwhile_hands_over_too():
    trace = two_threads(
        (1, "earlier", 0, 10), (0, "forward", 5, 100), (0, "engine.run", 100, 210),
        (1, "backward", 120, 200),
    )  # fmt: skip
    assert names(trace)[-1] == "engine.run"  # what it did itself is its own
    assert ("a", "engine.run", 100_000, 120_000) in told(
        two_threads((1, "earlier", 0, 10), (0, "forward", 5, 100), (0, "engine.run", 100, 190),
                    (1, "backward", 120, 200))
    )  # fmt: skip


@pytest.mark.parametrize("frame", ["ProfilerStep#7", "<built-in method run_backward of X>"])
def test_a_mark_of_a_step_or_a_call_that_waits_for_a_thread_is_no_work_while_that_one_works(frame):
    spans = ((0, "forward", 0, 100), (0, frame, 100, 205), (1, "backward", 103, 200),
             (0, "update", 205, 300))  # fmt: skip
    assert ("b", "backward", 103_000, 200_000) in told(two_threads(*spans))
    alone = two_threads(*(span for span in spans if not span[0]))
    assert names(alone) == ["forward", frame, "update"]


def test_a_short_pause_and_another_process_hand_over_nothing():
    pause = two_threads((0, "a1", 0, 100), (1, "b1", 99, 104), (0, "a2", 105, 200))
    assert [row[:2] for row in told(pause)] == [("a", "a1"), (UNTRACED, UNTRACED), ("a", "a2")]
    spans = (0, "a1", 0, 100), (1, "b1", 100, 195), (0, "a2", 200, 300)
    assert "b1" in names(two_threads(*spans))
    assert "b1" not in names(two_threads(*spans, pids=("p", "q")))


def test_what_another_thread_begins_in_the_same_moment_hands_over_nothing():
    trace = two_threads(
        (0, "a1", 0, 50), (0, "a2", 100, 150), (1, "b1", 0, 20), (1, "b2", 100, 160)
    )
    assert names(trace) == ["a1", UNTRACED, "b2"]


@pytest.mark.parametrize(
    ("file", "at_most"),
    [
        ("kineto__resnet50_num_workers_0_worker0.1623143089861.pt.trace.json.gz", 0.05),
        ("kineto__resnet50_num_workers_4_worker0.1623212756351.pt.trace.json.gz", 0.05),
        ("TraceLens__train_resnet18.json.gz", 0.01),
    ],
)
def test_a_training_step_goes_through_both_its_threads(file, at_most):
    if not (PUBLIC / file).is_file():
        pytest.skip(f"no public traces in {PUBLIC.name}")
    share = find_critical_path(open_trace(PUBLIC / file)).share
    assert share.get(UNTRACED, 0) < at_most
    assert sum(share.get(resource, 0) > 0.1 for resource in share if "thread" in resource) == 2


def test_a_trace_without_work_has_no_path():
    path = find_critical_path(Trace.from_rows([]))
    assert (path.segments, path.ns, path.share) == ((), 0, {})
    assert as_json(path)["segments"] == []


def test_json_lists_the_longest_segments_in_order_of_time():
    trace = foreign(launch(0, 1), kernel(10, 30, 1), host("x", 30, 60))
    path = find_critical_path(trace)
    rows = as_json(path)["segments"]
    assert [row["at_ms"] for row in rows] == sorted(row["at_ms"] for row in rows)
    assert sum(row["ms"] for row in rows) * 1e6 == path.ns
