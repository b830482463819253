"""The command line: JSON keys, exit codes, one line for bad input."""

import json

import pytest

from engine.cli import main
from engine.mechanisms.table import TABLE
from engine.model.decoder import Model
from engine.modes.table import MODES
from engine.workloads.presets import WORKLOADS

RUN_KEYS = {
    "mode", "device", "steps", "wall_ms", "gpu_active", "gpu_idle_ms", "wrong_tokens",
    "total_tokens", "first_wrong_step", "hazards", "gaps", "invariants", "errors", "peak",
    "wasted_rows",
}  # fmt: skip
HAZARD_KEYS = {"kind", "resource", "step", "first", "second", "missing_edge", "fix"}


def run_json(capsys, *arguments):
    code = main(["run", "--json", *arguments])
    return code, json.loads(capsys.readouterr().out)


def test_a_run_prints_every_key(capsys):
    code, report = run_json(capsys, "--mode", "no-wait-h2d", "--steps", "12")
    assert code == 0
    assert set(report) >= RUN_KEYS
    assert set(report["peak"]) == {"kv_blocks", "inflight_tokens", "device_bytes", "host_bytes"}
    assert all(set(hazard) >= HAZARD_KEYS for hazard in report["hazards"])
    assert report["hazards"]


def test_check_turns_a_bad_verdict_into_exit_code_1(capsys):
    assert run_json(capsys, "--mode", "no-wait-h2d", "--steps", "12", "--check")[0] == 1
    assert run_json(capsys, "--mode", "async", "--steps", "12", "--check")[0] == 0
    assert run_json(capsys, "--mode", "sync", "--steps", "12", "--check")[0] == 0


def test_set_takes_several_toggles(capsys):
    _, report = run_json(
        capsys, "--set", "depth=3", "device_slots=3", "--set", "host_slots=3", "--steps", "6",
        "--no-compute",
    )  # fmt: skip
    assert report["toggles"] == {"depth": "3", "device_slots": "3", "host_slots": "3"}


def test_the_trace_is_written(capsys, tmp_path):
    path = tmp_path / "trace.json.gz"
    code, report = run_json(capsys, "--steps", "5", "--no-compute", "--out", str(path))
    assert code == 0
    from traces import open_trace

    assert open_trace(path).meta["run"]["mode"] == report["mode"]


def test_a_fork_is_compared_with_the_run_as_it_was(capsys):
    fork = ("--steps", "8", "--fork-at", "60", "--fork-set", "wait_compute=off", "h2d=2x")
    _, report = run_json(capsys, *fork)
    assert report["fork"]["changes"] == {"wait_compute": "off", "h2d": "2x"}
    assert report["fork"]["first_difference_ms"] >= 60 and report["wrong_tokens"] > 0
    main(["run", *fork])
    text = capsys.readouterr().out
    assert "forked at 60.000000 ms: wait_compute = off, h2d = 2x" in text
    assert "switched wait_compute = off" in text


def test_a_run_on_threads_prints_the_same_keys(capsys):
    _, modelled = run_json(capsys, "--steps", "4")
    code, report = run_json(
        capsys, "--device", "threads", "--pace", "--widen", "1", "--steps", "4", "--check"
    )
    assert code == 0
    assert (report["device"], set(report)) == ("threads", set(modelled))


def test_a_device_that_fails_is_one_line(capsys, monkeypatch):
    def layer(*arguments):
        raise RuntimeError("no such layer")

    monkeypatch.setattr(Model, "layer", layer)
    assert main(["run", "--device", "threads", "--steps", "3"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == (
        "engine: 'layer 0' of batch 0 failed on stream 'compute': RuntimeError: no such layer\n"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "--mode", "nope"],
        ["run", "--set", "wait_h2d=perhaps"],
        ["run", "--set", "wait_h2d"],
        ["run", "--set", "no_such=on"],
        ["run", "--cost", "nowhere.json"],
        ["run", "--workload", "nowhere.json"],
        ["run", "--steps", "0"],
        ["run", "--batch", "many"],
        ["run", "--jitter", "-3"],
        ["run", "--device", "toaster"],
        ["run", "--pace"],
        ["run", "--widen", "5"],
        ["run", "--device", "threads", "--widen", "0"],
        ["run", "--device", "threads", "--jitter", "5"],
        ["run", "--fork-set", "wait_h2d=off"],
        ["run", "--fork-at", "-1"],
        ["run", "--fork-at", "5", "--fork-set", "streams=one"],
        ["run", "--fork-at", "5", "--fork-set", "h2d=soon"],
        ["run", "--fork-at", "5", "--fork-set", "h2d"],
        ["run", "--fork-at", "5", "--cost", "worked-2-6", "--fork-set", "no such=3ms"],
        ["run", "--fork-at", "5", "--device", "threads"],
        ["run", "--steps", "3", "--no-compute", "--out", "/no/such/folder/x.json.gz"],
        ["fly"],
        [],
    ],
)
def test_bad_input_is_one_line_on_stderr_and_exit_code_2(capsys, arguments):
    try:
        code = main(arguments)
    except SystemExit as stop:
        code = stop.code
    captured = capsys.readouterr()
    assert code == 2
    assert captured.out == ""
    assert len(captured.err.strip().splitlines()) == 1


def test_the_lists_hold_every_mode_and_mechanism(capsys):
    main(["modes", "--json"])
    modes = json.loads(capsys.readouterr().out)
    assert [mode["name"] for mode in modes] == list(MODES)
    assert all(set(mode) >= {"name", "group", "summary", "toggles", "expect"} for mode in modes)
    main(["mechanisms", "--json"])
    mechanisms = json.loads(capsys.readouterr().out)
    assert [info["name"] for info in mechanisms] == [info.name for info in TABLE]
    main(["workloads", "--json"])
    workloads = json.loads(capsys.readouterr().out)
    assert [workload["name"] for workload in workloads] == list(WORKLOADS)
    main(["workloads"])
    text = capsys.readouterr().out
    assert all(workload["about"] and workload["about"] in text for workload in workloads)


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("async", "hazards none, invariants hold"),
        ("no-wait-h2d", "hazards 1, invariants hold"),
        ("shared-metadata", "hazards none, invariants broken 5"),
    ],
)
def test_text_output_says_of_hazards_and_invariants_how_many_there_are(capsys, mode, said):
    main(["run", "--mode", mode, "--steps", "12"])
    assert said in capsys.readouterr().out.splitlines()


def test_text_output_names_what_was_seen(capsys):
    main(["run", "--mode", "no-wait-h2d", "--steps", "12"])
    text = capsys.readouterr().out
    assert "hazard RAW on device inputs" in text
    assert "compute.wait(batch.h2d_done)" in text
    main(["modes"])
    assert "single-buffer" in capsys.readouterr().out
    main(["mechanisms"])
    assert "wait_h2d" in capsys.readouterr().out


def test_where_a_result_cannot_go_is_said_before_the_work(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("engine.cli.execute", lambda config: pytest.fail("the engine ran"))
    for bad in (tmp_path, tmp_path / "none" / "x.json.gz"):
        for command in (["run", "--out", str(bad)], ["fit", "-o", str(bad)]):
            assert main(command) == 2
            assert "cannot be written (" in capsys.readouterr().err


def test_a_written_trace_is_confirmed_with_its_size(tmp_path, capsys):
    path = tmp_path / "t.json.gz"
    assert main(["run", "--steps", "3", "--no-compute", "--out", str(path)]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("wrote ")]
    assert str(path) in line and "kB" in line and path.stat().st_size
