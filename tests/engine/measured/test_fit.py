"""Cost models from runs: what was put into a run comes out of its trace again."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import run
from engine.cli import main
from engine.device.cost import KERNEL_FAMILIES, CostModel
from engine.device.cost_file import load_cost
from engine.device.costs import COSTS
from engine.measured.fit import FitError, fit_cost
from traces import Trace, list_samples, open_sample

STEADY = [
    name
    for name, cost in COSTS.items()
    if cost.kernel_ns_per_token == 0 and cost.copy_engines == 2  # neither is in a trace
]


def wall_ns(mode, cost, workload):
    return run(mode, cost=cost, workload=workload, steps=24, compute=False).wall_ns


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_where_work_grows_with_tokens_the_means_add_up_to_the_run(mode):
    cost = COSTS["small-gpu"]
    fitted = fit_cost(run("sync", cost=cost, steps=24, compute=False).trace)
    expected = wall_ns(mode, cost, cost.workload)
    assert wall_ns(mode, fitted, cost.workload) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("name", STEADY)
def test_a_modelled_run_gives_its_cost_model_back(name, mode):
    cost = COSTS[name]
    fitted = fit_cost(run(mode, cost=cost, steps=24, compute=False).trace)
    assert fitted.host_ns == {k: v for k, v in cost.host_ns.items() if v}
    assert {k: v for k, v in fitted.kernel_ns.items() if v} == cost.kernel_ns
    assert (fitted.h2d_ns, fitted.d2h_ns) == (cost.h2d_ns, cost.d2h_ns)
    assert fitted.workload == cost.workload
    for predicted in ("sync", "async"):
        expected = wall_ns(predicted, cost, cost.workload)
        assert wall_ns(predicted, fitted, cost.workload) == pytest.approx(expected, rel=0.005)


durations = st.integers(0, 5_000_000)
costs = st.builds(
    CostModel,
    host_ns=st.fixed_dictionaries(
        dict.fromkeys(("schedule", "allocate", "update state"), durations.map(lambda ns: ns + 1))
    ),
    kernel_ns=st.fixed_dictionaries(dict.fromkeys(KERNEL_FAMILIES, durations)),
    h2d_ns=durations,
    d2h_ns=durations,
    launch_ns=st.integers(0, 50_000),
)


@settings(max_examples=25)
@given(costs, st.sampled_from(["sync", "async", "ready-queue"]))
def test_any_steady_cost_model_comes_back(cost, mode):
    fitted = fit_cost(run(mode, cost=cost, steps=6, compute=False).trace)
    expected = wall_ns(mode, cost, cost.workload)
    assert wall_ns(mode, fitted, cost.workload) == pytest.approx(expected, rel=0.01)


def test_a_launch_costs_its_share_of_launching():
    """Records and waits are calls as well, of 1 us where a launch takes 5: they are in it."""
    fitted = fit_cost(run("sync", steps=8, compute=False).trace)
    assert 5_000 < fitted.launch_ns < 6_000


@pytest.mark.parametrize("mode", ["constrained", "swap", "cold-allocation", "item-sync"])
def test_what_only_some_batches_do_is_kept_apart(mode):
    name = mode if mode != "swap" else "kv-released-at-once"
    fitted = fit_cost(run(name, steps=30, compute=False).trace)
    cost = load_cost("published-8b")
    assert (fitted.h2d_ns, fitted.d2h_ns) == (cost.h2d_ns, cost.d2h_ns)
    assert fitted.kernel_ns == cost.kernel_ns
    assert fitted.alloc_ns == (cost.alloc_ns if mode == "cold-allocation" else 0)


def test_the_time_it_takes_to_wake_the_host_belongs_to_the_results_copy():
    def host(name, ts, dur, kind="host"):
        return {"ts_ns": ts, "dur_ns": dur, "name": name, "kind": kind, "step": 0}

    def device(name, ts, dur, kind):
        return host(name, ts, dur, kind) | {"device": 0, "stream": 1}

    fitted = fit_cost(
        Trace.from_rows(
            [
                host("schedule", 0, 10), host("wait", 15, 85),
                host("wait d2h_done", 15, 84, "sync"),
                device("layer 0", 20, 40, "kernel"), device("d2h out", 60, 9, "d2h"),
            ]
        )
    )  # fmt: skip
    assert fitted.d2h_ns == 9 + (99 - 69)
    assert fitted.kernel_ns == {"layer": 60}  # nothing held it back since the run began
    assert fitted.host_ns == {"schedule": 15, "wait": 1}


def test_a_measured_run_is_predicted():
    real = run("sync", device="threads", pace=True, steps=12)
    predicted = run("sync", cost=fit_cost(real.trace), workload="chat", steps=12)

    assert 0.8 < predicted.wall_ns / real.wall_ns < 1.25


def test_a_fitted_cost_model_is_as_good_as_a_preset(capsys, tmp_path):
    trace, cost = tmp_path / "run.json.gz", tmp_path / "mine.json"
    timing = ["--no-compute", "--steps", "8", "--json"]
    assert main(["run", "--mode", "sync", "--out", str(trace), *timing]) == 0
    expected = json.loads(capsys.readouterr().out)
    assert main(["fit", str(trace), "-o", str(cost)]) == 0
    assert "Fitted from a run of sync on virtual, 8 steps." in capsys.readouterr().out
    assert main(["run", "--mode", "sync", "--cost", str(cost), *timing]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["cost"] == "mine"
    assert again["wall_ms"] == pytest.approx(expected["wall_ms"], rel=0.005)


def test_this_machine_is_measured_where_no_trace_is_given(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("engine.cli.FIT_STEPS", 4)
    cost = tmp_path / "this-machine.json"
    assert main(["fit", "-o", str(cost)]) == 0
    assert "sync on threads, 4 steps" in capsys.readouterr().out
    assert load_cost(str(cost)).gpu_step_ns > 0


@pytest.mark.parametrize("sample", [s for s in list_samples() if not s.file.startswith("engine-")])
def test_a_trace_without_the_engines_steps_is_refused(sample):
    with pytest.raises(FitError, match="no steps of the engine's loop"):
        fit_cost(open_sample(sample))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere.json", "-o", "x.json"], "nowhere.json"),
        (["-o", "/no/such/x.json"], "cannot be written"),
    ],
)
def test_what_cannot_be_fitted_is_one_line(capsys, monkeypatch, arguments, told):
    monkeypatch.setattr("engine.cli.FIT_STEPS", 2)
    assert main(["fit", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert told in captured.err and len(captured.err.strip().splitlines()) == 1


def test_a_trace_whose_run_entry_was_edited_is_refused_in_one_sentence():
    trace = run("sync", steps=2, compute=False).trace
    trace.meta["run"]["workload"] = ["chat"]
    with pytest.raises(FitError, match="'workload' that is not a word"):
        fit_cost(trace)
