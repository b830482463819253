"""A cost model from what a mean step of any trace takes."""

import pytest

from engine import configure, execute
from engine.cli import main
from engine.device.cost_file import load_cost
from engine.device.step_cost import cost_of, parse_times
from engine.measured.fit import FitError
from engine.measured.step_fit import fit_steps, times_of
from tests.traces.builders import Diagram
from tests.traces.test_findings import PUBLIC
from traces import Trace, open_trace, what_if, write_trace

STEPS = 24
US = 1_000


def recorded(mode: str = "sync") -> Trace:
    return execute(configure(mode, steps=STEPS, compute=False)).trace


def foreign(mode: str = "sync") -> Trace:
    """The run as another profiler would have written it: launches, and nothing of steps."""
    trace = recorded(mode)
    spans = trace.spans.assign(step=-1, slot=-1, args=None)
    flows = trace.flows[trace.flows["kind"] == "launch"]
    return Trace(spans, flows, trace.counters.iloc[:0], {"format": "other"})


@pytest.mark.parametrize("make", [recorded, foreign])
def test_times_are_those_of_a_mean_step(make):
    times = times_of(what_if(make()))
    assert times.compute == pytest.approx(28, rel=0.01)
    assert times.prepare + times.finish == pytest.approx(8.5, rel=0.06)
    assert times.copy_in == pytest.approx(0.3, rel=0.06)
    assert times.copy_out == pytest.approx(0.1, rel=0.06)


def test_the_lab_runs_another_engines_numbers_to_what_was_recorded():
    cost = fit_steps(foreign())
    for mode in ("sync", "async"):
        run = execute(configure(mode, cost=cost, workload="chat", steps=STEPS, compute=False))
        original = execute(configure(mode, steps=STEPS, compute=False))
        assert run.wall_ns == pytest.approx(original.wall_ns, rel=0.05)


def launching(kernels: int, call_us: int, kernel_us: int, before_us: int, after_us: int) -> Trace:
    """Steps of many small kernels: the host is still launching while the device computes."""
    run, now, free = Diagram(), 0, 0
    for _ in range(STEPS):
        run.host("prepare", now, now := now + before_us * US)
        for number in range(kernels):
            launch = run.host("cudaLaunchKernel", now, now := now + call_us * US, "launch")
            start = max(now, free)
            free = start + kernel_us * US
            run.gpu("compute", "kernel", start, free, launch, name=f"kernel {number}")
        run.host("cudaStreamSynchronize", now, now := max(now, free), "sync")
        run.host("finish", now, now := now + after_us * US)
    trace = run.trace()
    trace.meta["format"] = "other"
    return trace


def checked(trace: Trace, most: float = 0.05) -> None:
    """The engine on the fitted times takes as long a step as was predicted."""
    prediction = what_if(trace)
    times, steps = parse_times(str(times_of(prediction))), len(prediction.parts)
    for mode, told in (("sync", prediction.sync_ns), ("async", prediction.async_ns)):
        config = configure(mode, cost=cost_of(times), workload="chat", steps=steps, compute=False)
        assert execute(config).wall_ns == pytest.approx(told, rel=most), (mode, str(times))


@pytest.mark.parametrize(
    "shape",
    [(40, 90, 90, 100, 100), (40, 90, 20, 10, 500), (40, 20, 100, 10, 10),
     (200, 10, 30, 3000, 0), (40, 50, 45, 0, 0)],
)  # fmt: skip
def test_work_beside_the_device_within_a_step_is_not_lost_in_the_fit(shape):
    trace = launching(*shape)
    assert sum(step.together_ns for step in what_if(trace).parts) > 0
    checked(trace)


UNEVEN = "HTA__ns_resolution_trace_rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz"
"""Its five steps differ by a factor of three: a mean one takes longer to fill the pipeline."""


@pytest.mark.parametrize(
    "file",
    [
        "HTA__with_gpu_user_annotation_step_based_trace_2543932.json.gz",
        "HTA__timeline_analysis_sampled_rank-0.json.gz",
        pytest.param(UNEVEN, marks=pytest.mark.slow),
        "TraceLens__train_resnet18.json.gz",
        "kineto__resnet50_num_workers_0_worker0.1623143089861.pt.trace.json.gz",
        "kineto__resnet50_num_workers_4_worker0.1623212756351.pt.trace.json.gz",
    ],
)
def test_other_engines_steps_run_in_the_lab_as_long_as_was_predicted(file):
    if not (PUBLIC / file).is_file():
        pytest.skip(f"no public traces in {PUBLIC.name}")
    checked(open_trace(PUBLIC / file), 0.08 if file == UNEVEN else 0.05)


def test_what_cannot_be_fitted_says_why():
    host_only = Trace.from_rows([{"track": "t", "name": "x", "dur_ns": 5}], meta={"format": "x"})
    with pytest.raises(FitError, match="no GPU work is recorded"):
        fit_steps(host_only)


def test_the_command_line_fits_other_profilers_traces(capsys, tmp_path):
    trace, cost = tmp_path / "other.json", tmp_path / "mine.json"
    write_trace(foreign(), trace)
    assert main(["fit", str(trace), "-o", str(cost)]) == 0
    assert "steps found by repeated launches" in capsys.readouterr().out
    assert load_cost(str(cost)).gpu_step_ns == pytest.approx(28e6, rel=0.01)
