"""A cost model from what a mean step of any trace takes."""

import pytest

from engine import configure, execute
from engine.cli import main
from engine.device.cost_file import load_cost
from engine.measured.fit import FitError
from engine.measured.step_fit import fit_steps, times_of
from traces import Trace, what_if, write_trace

STEPS = 24


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
