"""Two traces on one axis, and what differs between them."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.inspect.comparing import (
    aligned,
    cause_changes,
    first_window,
    idle_shares,
    idle_told,
    predicted,
    shifted,
    shifts_told,
    split_told,
    steps_told,
    zero_ns,
)
from lab.inspect.inspection import Inspection
from tests.lab.samples import STEPS, profiler_trace, study
from tests.traces.builders import several
from traces import compare, find_gaps


def opened(mode: str) -> Inspection:
    return Inspection(study(mode).trace, mode, mode)


@settings(max_examples=12)
@given(st.integers(0, 10**12))
def test_a_shifted_trace_is_the_same_trace_later(ns: int) -> None:
    run = opened("sync")
    late = shifted(run, ns)
    assert [gap.ns for gap in late.gaps] == [gap.ns for gap in run.gaps]
    assert late.extent == (run.extent[0] + ns, run.extent[1] + ns)
    assert [idle.share for idle in late.idles] == [idle.share for idle in run.idles]


def test_moved_gaps_are_those_of_the_moved_trace() -> None:
    late = shifted(opened("sync"), 12_345)
    assert late.gaps == find_gaps(late.trace)


@pytest.mark.parametrize("second", [opened("async"), Inspection(profiler_trace(spans=5), "x", "k")])
def test_both_begin_at_the_same_instant(second: Inspection) -> None:
    for pair in (aligned(opened("sync"), second), aligned(second, opened("sync"))):
        assert zero_ns(pair[0]) == zero_ns(pair[1])
        start, end = first_window(*pair)
        assert start < zero_ns(pair[0]) + 1 and start < end


def test_steps_idle_time_and_the_rest_add_up() -> None:
    sync, overlapped = opened("sync"), opened("async")
    result = compare(sync.trace, overlapped.trace)
    told = steps_told(result)
    assert f"mean of the {STEPS} steps that both have: -" in told
    table = cause_changes(result)
    assert table["Change (ms)"].abs().is_monotonic_decreasing
    idle, of_ms = idle_shares(result)
    assert all(0 < sum(idle[name].values()) < of_ms[name] for name in of_ms)
    idle_change, busy_change = map(float, re.findall(r"[-+][\d.]+", split_told(result)))
    assert of_ms["second"] - of_ms["first"] == pytest.approx(idle_change + busy_change, abs=2e-3)
    assert table["Change (ms)"].sum() == pytest.approx(idle_change, abs=1e-3)


def test_the_prediction_of_a_trace_is_a_run_of_its_numbers() -> None:
    sync = opened("sync")
    assert sync.step_times is not None
    for mode in ("sync", "async"):
        trace = predicted(sync.step_times, mode, STEPS)
        run = Inspection(trace, mode, mode)
        assert run.steps.count == STEPS
        assert run.prediction.recorded_ns == pytest.approx(study(mode).run.wall_ns, rel=0.02)


def test_traces_without_steps_are_compared_as_they_are() -> None:
    first, second = (Inspection(profiler_trace(spans=n), "x", str(n)) for n in (1, 2))
    result = compare(first.trace, second.trace)
    assert "no steps" in steps_told(result)
    assert idle_shares(result)[1]["first"] > 0


TWO = ((("k", 0, 40), ("k", 60, 100)), (("k", 0, 90), ("k", 100, 200)))
"""GPU 0 is idle for 20 of 100, GPU 1 for 10 of 200."""


def test_of_several_gpus_a_comparison_tells_the_mean_and_the_idlest() -> None:
    first = Inspection(several(*TWO), "two", "k")
    second = Inspection(several(TWO[0]), "one", "l")
    result = compare(first.trace, second.trace)
    assert (
        idle_told(first, result.a) == "both GPUs together idle 10.0 % (the idlest, GPU 0, 20.0 %)"
    )
    assert idle_told(second, result.b) == "GPU idle 20.0 %"
    idle, of_ms = idle_shares(result)
    assert of_ms == pytest.approx({"first": 150e-6, "second": 100e-6})
    assert sum(idle["first"].values()) == pytest.approx(15e-6)
    assert shifts_told(result) and all("of the GPUs' time" in told for told in shifts_told(result))
