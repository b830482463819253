"""Which spans lie on which lane."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lab.picture.lanes import make_lanes, nesting, without
from lab.picture.palette import STYLE_NAMES
from tests.lab.picture.test_lod import layer
from tests.lab.samples import profiler_trace, study
from traces import idle_stretches


def test_a_run_has_a_host_lane_and_one_a_stream() -> None:
    lanes = study().lanes
    assert [lane.label for lane in lanes] == ["host", "H2D", "compute", "D2H"]
    assert [lane.label for lane in lanes if lane.main] == ["host", "compute"]


def test_gaps_lie_on_the_lane_of_the_kernels() -> None:
    sync = study("sync")
    (home,) = [lane for lane in sync.lanes if any(strip.is_gap for strip in lane.strips)]
    assert home.label == "compute"
    gap_strip = next(strip for strip in home.strips if strip.is_gap)
    assert gap_strip.layer.dur.tolist() == [gap.ns for gap in sync.gaps]


def test_host_steps_do_not_cover_the_waits_in_them() -> None:
    steps, waits, _ = study("sync").lanes[0].strips
    for start, end in zip(steps.layer.start.tolist(), steps.layer.end.tolist(), strict=True):
        overlap = (waits.layer.start < end) & (waits.layer.end > start)
        assert not overlap.any()


def test_a_profiler_trace_has_idle_time_streams_and_threads() -> None:
    trace = profiler_trace(spans=3)
    lanes = make_lanes(trace, idle_stretches(trace))
    assert [lane.name for lane in lanes] == [
        "GPU 0 · idle",
        "GPU 0 · stream 7",
        "python · thread 7",
    ]
    assert lanes[0].spans == 2
    assert lanes[2].launches == 3


def test_frames_of_python_code_give_way_to_calls() -> None:
    trace = profiler_trace(spans=1)
    thread = make_lanes(trace, idle_stretches(trace))[-1]
    styles = {STYLE_NAMES[number] for strip in thread.strips for number in strip.layer.style}
    assert styles == {"op", "launch"}
    assert len(thread.strips) == 2


pairs = st.lists(st.tuples(st.integers(0, 50), st.integers(1, 30)), max_size=15)


@given(pairs, st.lists(st.tuples(st.integers(0, 20), st.integers(1, 10)), max_size=6))
def test_holes_are_cut_out_and_nothing_else(spans, gaps) -> None:
    holes, at = [], 0
    for pause, length in gaps:
        holes.append((at + pause, length))
        at += pause + length
    left = without(layer(spans), layer(holes))
    in_hole = {ns for start, length in holes for ns in range(start, start + length)}
    expected = sum(ns not in in_hole for s, d in spans for ns in range(s, s + d))
    assert int(left.dur.sum()) == expected
    assert (np.diff(left.start) >= 0).all()


@given(pairs)
def test_nesting_counts_the_spans_still_open(spans) -> None:
    ordered = sorted(spans, key=lambda span: (span[0], -span[1]))
    start = np.array([span[0] for span in ordered], dtype=np.int64)
    dur = np.array([span[1] for span in ordered], dtype=np.int64)
    depth = nesting(start, dur).tolist()
    properly_nested = all(
        other + length >= begin + own or other + length <= begin
        for i, (begin, own) in enumerate(ordered)
        for other, length in ordered[:i]
    )
    if properly_nested:
        assert depth == [
            sum(other + length > begin for other, length in ordered[:i])
            for i, (begin, _) in enumerate(ordered)
        ]
    assert all(0 <= d <= i for i, d in enumerate(depth))
