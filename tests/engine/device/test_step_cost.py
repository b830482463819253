"""A step's times as one short text: read, written, refused, and run as they say."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import configure, execute
from engine.device.cost import BESIDE, CostError
from engine.device.cost_file import load_cost
from engine.device.costs import COSTS
from engine.device.step_cost import StepTimes, cost_named, cost_of, parse_times, times_in
from engine.measured.fit import fit_cost
from traces import what_if
from traces.step_parts import StepParts
from traces.whatif import pipelined_ns

ms = st.integers(0, 50_000_000).map(lambda value: value / 1000)
above_zero = st.integers(1, 50_000_000).map(lambda value: value / 1000)
times = st.builds(StepTimes, ms, above_zero, ms, ms, ms)
besides = st.builds(
    lambda step, share: replace(step, beside=round(step.prepare * share, 3)),
    times, st.floats(0, 0.99),
)  # fmt: skip
STEPS = 24


@given(times | besides)
def test_times_survive_their_text(step):
    assert parse_times(str(step)) == step


@given(times)
def test_nothing_is_lost_or_added_between_times_and_cost_model(step):
    cost = cost_of(step)
    calls = 12 * cost.launch_ns + 6 * cost.event_ns
    assert cost.gpu_step_ns == round(step.compute * 1e6)
    assert cost.host_step_ns + calls == pytest.approx((step.prepare + step.finish) * 1e6, abs=30)
    assert (cost.h2d_ns, cost.d2h_ns) == (round(step.copy_in * 1e6), round(step.copy_out * 1e6))


@given(times | besides)
def test_the_times_in_a_cost_model_are_those_it_was_made_of(step):
    found = times_in(cost_of(step))
    for name in ("compute", "copy_in", "copy_out", "finish"):
        assert getattr(found, name) == pytest.approx(getattr(step, name), abs=1e-5)
    least = 1e-6 * (12 * cost_of(step).launch_ns + 6 * cost_of(step).event_ns)
    assert found.prepare == pytest.approx(max(step.prepare, least), abs=1e-4)
    assert found.beside == pytest.approx(step.beside, abs=1e-5)
    assert parse_times(str(found)).launch <= found.prepare + 1e-4


@pytest.mark.parametrize(
    "text",
    ["", "C1", "C1-G0-F1", "C1-G2-F3-in", "G1-C1-F1", "C-1-G1-F1", "C1e3-G1-F1", "C99999-G1-F1",
     "C1-G2-F3 ", "C1-G2-F3-launch2", "C1-G2-F3-launch0.6-beside0.5", "C1-G2-F3-beside1-launch0",
     "C١-G1-F1", "/etc/passwd", "C1-G1-F1-out1-in1"],
)  # fmt: skip
def test_what_is_no_cost_model_is_refused_in_one_sentence(text):
    with pytest.raises(CostError, match="no cost model") as told:
        cost_named(text)
    assert "\n" not in str(told.value)


def test_presets_times_and_files_are_named_alike():
    assert cost_named("published-8b") is COSTS["published-8b"]
    assert load_cost("C1-G2-F3") == cost_named("C1-G2-F3")
    assert configure("sync", cost="C1-G2-F3").cost.gpu_step_ns == 2_000_000
    with pytest.raises(CostError, match="or a JSON file"):
        load_cost("C1-G2")


@settings(max_examples=12)
@given(
    st.floats(0.2, 20), st.floats(0.2, 20), st.floats(0, 10), st.floats(0, 3), st.floats(0, 3),
    st.floats(0, 0.3),
)  # fmt: skip
def test_a_run_takes_what_the_prediction_says(prepare, compute, finish, copy_in, copy_out, launch):
    """The what-if of a trace and the engine on the cost model of that trace agree."""
    step = StepTimes(prepare, compute, finish, copy_in, copy_out, launch * min(prepare, compute))
    cost = cost_named(str(step))
    parts = StepParts(
        *(round(getattr(step, name) * 1e6) for name in
          ("prepare", "copy_in", "compute", "copy_out", "finish", "launch"))
    )  # fmt: skip
    expected = {"sync": parts.alone_ns * STEPS, "async": pipelined_ns([parts] * STEPS)}
    for mode, wall_ns in expected.items():
        run = execute(configure(mode, cost=cost, workload="chat", steps=STEPS, compute=False))
        assert run.wall_ns == pytest.approx(wall_ns, rel=0.03)


@pytest.mark.parametrize("text", ["C10-G8-F2-launch3-beside6", "C10-G20-F1-in0.5-out0.2-beside9"])
def test_what_comes_behind_the_calls_is_beside_the_device_and_no_work_is_lost(text):
    cost = cost_named(text)
    runs = {
        mode: execute(configure(mode, cost=cost, workload="chat", steps=STEPS, compute=False))
        for mode in ("sync", "async")
    }
    spans = runs["sync"].trace.spans
    beside = spans[spans["name"] == BESIDE]
    assert (beside["dur_ns"] == cost.host_ns[BESIDE]).all() and len(beside) == STEPS
    kernels = spans[(spans["kind"] == "kernel") & (spans["step"] == STEPS - 1)]
    assert beside["ts_ns"].iloc[-1] < kernels["ts_ns"].max()
    prediction = what_if(runs["sync"].trace)
    assert prediction.sync_ns == pytest.approx(runs["sync"].wall_ns, rel=0.01)
    assert prediction.async_ns == pytest.approx(runs["async"].wall_ns, rel=0.02)
    assert fit_cost(runs["sync"].trace).host_ns[BESIDE] == cost.host_ns[BESIDE]
