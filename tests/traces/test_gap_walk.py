"""Causes of the gaps of engine dumps, by hand-drawn timelines and as laws."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.traces.builders import Diagram, traces
from traces import find_gaps, gaps_by_cause, wall_ns
from traces.activity import span_union
from traces.gap import LATENCY, NO_LAUNCH, UNTRACED
from traces.gap_walk import (
    DEFAULT_STREAM,
    INPUT_REUSE,
    OUTPUT_REUSE,
    SHARED_COMPUTE_STREAM,
    SHARED_COPY_STREAM,
)
from traces.intervals import total


def parts(trace, at=0):
    return {part.cause: part.ns for part in find_gaps(trace)[at].parts}


def sync_run() -> Diagram:
    """Two steps of a synchronous engine: 100 + 40 ns, kernel, 30 + 70 ns, ... ."""
    run = Diagram()
    run.host("schedule", 0, 100)
    copy_in = run.host("launch h2d", 100, 110, "launch")
    first = run.gpu("H2D", "h2d", 110, 150, copy_in)
    launch = run.host("launch forward", 110, 120, "launch")
    kernel = run.gpu("compute", "kernel", 150, 300, launch, (first,))
    copy_out = run.host("launch d2h", 120, 125, "launch")
    run.gpu("D2H", "d2h", 300, 330, copy_out, (kernel,))
    run.host("wait d2h_done", 125, 340, "sync")
    run.host("update state", 340, 400)
    copy_in = run.host("launch h2d", 400, 410, "launch")
    second = run.gpu("H2D", "h2d", 410, 450, copy_in)
    launch = run.host("launch forward", 410, 420, "launch")
    run.gpu("compute", "kernel", 450, 500, launch, (second,))
    run.host("update state", 480, 520)
    return run


def test_a_synchronous_step_names_host_steps_and_copies():
    trace = sync_run().trace()
    start, middle, end = find_gaps(trace)
    assert (start.where, middle.where, end.where) == ("start", "middle", "end")
    assert parts(trace, 0) == {"schedule": 100, "launch h2d": 10, "h2d copy": 40}
    assert parts(trace, 1) == {
        "d2h copy": 30,
        "wait d2h_done": 10,
        "update state": 60,
        "launch h2d": 10,
        "h2d copy": 40,
    }
    assert parts(trace, 2) == {"update state": 20}
    assert middle.cause == "update state"
    assert trace.spans["kind"][middle.next_span] == "kernel"
    assert gaps_by_cause([start, middle, end])["h2d copy"] == 80


def test_a_cause_given_by_a_span_replaces_its_name():
    run = sync_run()
    run.spans[8]["args"] = {"cause": "grammar"}
    run.spans[10]["args"] = {"cause": "pageable copy"}
    found = parts(run.trace(), 1)
    assert found["grammar"] == 60
    assert found["pageable copy"] == 40
    assert "update state" not in found


@pytest.mark.parametrize(
    ("args", "cause"),
    [
        ({"waits_for": "device"}, "wait d2h_done"),
        ({"waits_for": "event", "cause": ".item()"}, ".item()"),
    ],
)
def test_a_wait_that_lets_the_device_run_dry_owns_the_whole_gap(args, cause):
    run = sync_run()
    run.spans[7]["args"] = args
    assert parts(run.trace(), 1) == {cause: 150}


def test_a_wait_that_was_over_before_the_gap_owns_none_of_it():
    run = sync_run()
    run.spans[7] |= {"dur_ns": 100, "args": {"waits_for": "device"}}
    assert parts(run.trace(), 1)["update state"] == 60


def test_what_the_legacy_default_stream_held_back_is_named():
    run = Diagram()
    launch = run.host("launch all", 0, 10, "launch")
    kernel = run.gpu("compute", "kernel", 10, 50, launch)
    copy = run.gpu("D2H", "d2h", 50, 60, launch)
    run.flow(kernel, copy, "barrier")
    following = run.gpu("compute", "kernel", 60, 90, launch)
    run.flow(copy, following, "barrier")
    assert parts(run.trace(), 1) == {DEFAULT_STREAM: 10}


def test_the_innermost_host_span_is_blamed_and_holes_are_untraced():
    run = Diagram()
    run.host("step", 0, 60)
    run.host("cold allocation", 10, 50)
    launch = run.host("launch forward", 70, 80, "launch")
    run.gpu("compute", "kernel", 80, 90, launch)
    found = parts(run.trace())
    assert found == {"step": 20, "cold allocation": 40, UNTRACED: 10, "launch forward": 10}


def test_a_single_device_slot_is_named_as_slot_reuse():
    run = Diagram()
    launch = run.host("launch all", 0, 10, "launch")
    kernel = run.gpu("compute", "kernel", 10, 100, launch)
    copy = run.gpu("H2D", "h2d", 100, 140, launch, (kernel,))
    run.gpu("compute", "kernel", 140, 200, launch, (copy,))
    assert parts(run.trace(), 1) == {INPUT_REUSE: 40}


def test_compute_that_waits_for_the_output_copy_is_named_as_slot_reuse():
    run = Diagram()
    launch = run.host("launch all", 0, 10, "launch")
    kernel = run.gpu("compute", "kernel", 10, 100, launch)
    copy = run.gpu("D2H", "d2h", 100, 130, launch, (kernel,))
    run.gpu("compute", "kernel", 130, 200, launch, (copy,))
    assert parts(run.trace(), 1) == {OUTPUT_REUSE: 30}


def test_one_stream_for_everything_is_named():
    run = Diagram()
    launch = run.host("launch all", 0, 10, "launch")
    for kind, start, end in [("kernel", 10, 50), ("d2h", 50, 60), ("h2d", 60, 75)]:
        run.gpu("compute", kind, start, end, launch)
    run.gpu("compute", "kernel", 75, 90, launch)
    assert parts(run.trace(), 1) == {SHARED_COMPUTE_STREAM: 25}


def test_two_copies_on_one_stream_are_named():
    run = Diagram()
    launch = run.host("launch all", 0, 10, "launch")
    kernel = run.gpu("compute", "kernel", 10, 50, launch)
    run.gpu("H2D", "d2h", 50, 60, launch, (kernel,))
    copy = run.gpu("H2D", "h2d", 60, 75, launch)
    run.gpu("compute", "kernel", 75, 90, launch, (copy,))
    assert parts(run.trace(), 1) == {SHARED_COPY_STREAM: 25}


def test_a_copy_engine_taken_by_another_stream_is_seen():
    run = Diagram()
    launch = run.host("launch all", 0, 10, "launch")
    run.gpu("compute", "kernel", 10, 20, launch)
    run.gpu("D2H", "d2h", 15, 60, launch)
    copy = run.gpu("H2D", "h2d", 60, 75, launch)
    run.gpu("compute", "kernel", 75, 90, launch, (copy,))
    assert parts(run.trace(), 1) == {"d2h copy": 40, "h2d copy": 15}


def test_time_between_all_reasons_and_the_start_is_latency():
    run = Diagram()
    launch = run.host("launch forward", 0, 10, "launch")
    run.gpu("compute", "kernel", 17, 20, launch)
    assert parts(run.trace()) == {"launch forward": 10, LATENCY: 7}


def test_without_a_recorded_launch_nothing_is_guessed():
    run = Diagram()
    run.host("schedule", 0, 10)
    run.gpu("compute", "kernel", 30, 40)
    assert parts(run.trace()) == {NO_LAUNCH: 30}


def test_copies_that_outlive_the_host_belong_to_the_end_gap():
    run = Diagram()
    launch = run.host("launch all", 0, 10, "launch")
    kernel = run.gpu("compute", "kernel", 10, 50, launch)
    run.gpu("D2H", "d2h", 50, 65, launch, (kernel,))
    gap = find_gaps(run.trace())[-1]
    assert (gap.where, gap.cause, gap.ns) == ("end", "d2h copy", 15)


def test_a_run_without_kernels_is_one_gap():
    run = Diagram()
    run.host("schedule", 0, 10)
    run.gpu("H2D", "h2d", 10, 30)
    (gap,) = find_gaps(run.trace())
    assert (gap.where, gap.ns) == ("whole", 30)


@st.composite
def random_runs(draw):
    """Nonsense programs: any spans, any flows."""
    run = Diagram()
    for _ in range(draw(st.integers(1, 12))):
        start, length = draw(st.integers(0, 60)), draw(st.integers(0, 15))
        track = draw(st.sampled_from(["host", "H2D", "compute", "D2H"]))
        if track == "host":
            kind = draw(st.sampled_from(["host", "launch", "sync"]))
            run.host(kind, start, start + length, kind)
        else:
            kind = draw(st.sampled_from(["kernel", "h2d", "d2h", "memset"]))
            run.gpu(track, kind, start, start + length)
    place = st.integers(0, len(run.spans) - 1)
    kinds = st.sampled_from(["launch", "event", "barrier", "stream"])
    for src, dst, kind in draw(st.lists(st.tuples(place, place, kinds), max_size=12)):
        run.flow(src, dst, kind)
    return run.trace()


def check_sums(trace):
    for device in trace.devices:
        found = find_gaps(trace, device)
        assert all(gap.ns == sum(part.ns for part in gap.parts) for gap in found)
        assert all(part.ns > 0 for gap in found for part in gap.parts)
        kernels = trace.gpu_spans(device)
        kernels = kernels[kernels["kind"] == "kernel"]
        start, end = wall_ns(trace)
        outside = max(start - int(kernels["ts_ns"].min()), 0) if len(kernels) else 0
        if not outside:
            assert sum(gap.ns for gap in found) + total(span_union(kernels)) == end - start


@given(random_runs())
def test_parts_add_up_to_gaps_and_gaps_with_kernels_to_the_wall(trace):
    check_sums(trace)


@given(traces())
def test_any_trace_that_the_schema_allows_has_gaps_that_add_up(trace):
    check_sums(trace)


def test_a_flow_circle_does_not_hang():
    run = Diagram()
    run.host("schedule", 0, 5)
    a = run.gpu("H2D", "h2d", 10, 10)
    b = run.gpu("D2H", "d2h", 10, 10, after=(a,))
    run.flow(b, a, "event")
    run.gpu("compute", "kernel", 10, 20, after=(b,))
    assert sum(parts(run.trace()).values()) == pytest.approx(10)
