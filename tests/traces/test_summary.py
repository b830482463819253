"""The figures of a file, as a dict and on the command line."""

import json

import pytest

from engine import run
from tests.traces.builders import several
from tests.traces.test_gap_walk import sync_run
from traces import compare, open_trace, summarize, write_trace
from traces.__main__ import main
from traces.summary import as_text


def test_an_engine_dump_is_summed_up():
    summary = summarize(sync_run().trace())
    assert list(summary) == [
        "format",
        "events",
        "skipped",
        "span_ms",
        "devices",
        "gaps",
        "critical_path",
        "steps",
        "findings",
        "what_if",
        "warnings",
    ]
    (device,) = summary["devices"]
    assert summary["events"] == 14
    assert summary["span_ms"] == 520 / 1e6
    assert device["busy_ms"] + device["idle_ms"] == pytest.approx(390 / 1e6)
    told = device["observed"]
    assert told["busy_ms"] + told["idle_ms"] == pytest.approx(told["of_ms"])
    assert told["of_ms"] == summary["span_ms"]
    assert device["copy_ms"] == 110 / 1e6
    assert device["copy_compute_overlap_ms"] == 0
    assert device["streams"] == [0, 1, 2]
    assert summary["critical_path"]["ms"] == summary["span_ms"]
    assert sum(summary["critical_path"]["share"].values()) == pytest.approx(1)
    assert sum(summary["gaps"].values()) == pytest.approx((520 - 200) / 1e6) == told["idle_ms"]


@pytest.mark.parametrize(
    ("name", "says"),
    [("aten::add", "No GPU work"), ("cudaLaunchKernel", "launched 1 operations but none")],
)
def test_a_file_without_gpu_work_says_why_there_is_no_idle_time(name, says):
    category = "cuda_runtime" if name.startswith("cuda") else "cpu_op"
    event = {"ph": "X", "name": name, "cat": category, "ts": 0, "dur": 1}
    (warning,) = summarize(open_trace(json.dumps([event]).encode()))["warnings"]
    assert says in warning


def test_inspect_prints_a_table_or_json(tmp_path, capsys):
    path = tmp_path / "run.json.gz"
    write_trace(sync_run().trace(), path)
    assert main(["inspect", str(path)]) == 0
    table = capsys.readouterr().out
    assert "GPU 0    active 38.5 % of the run, from the first host work to its end" in table
    assert "update state" in table
    assert "\nidle time by cause\n" in table
    assert main(["inspect", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == summarize(sync_run().trace())


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_run_of_the_engine_has_one_share_wherever_it_is_told(mode):
    result = run(mode, steps=8, compute=False)
    figures, told = summarize(result.trace), result.figures
    device = figures["devices"][0]["observed"]
    assert device["active"] == pytest.approx(told.gpu_active)
    assert device["idle_ms"] == pytest.approx(told.gpu_idle_ms)
    assert sum(figures["gaps"].values()) == pytest.approx(told.gpu_idle_ms)
    of_gaps = sum(one["seconds"] for one in figures["findings"])  # a dump of ours has no others
    assert 1e3 * of_gaps == pytest.approx(told.gpu_idle_ms)
    assert compare(result.trace, result.trace).a.active == pytest.approx(told.gpu_active)
    text = as_text(figures)
    assert text.count("active ") == 1 and f"active {100 * told.gpu_active:.1f} % of the run" in text


@pytest.mark.parametrize(
    ("share", "begins"), [(0.0019, "small "), (0.002, "finding "), (0, "small ")]
)
def test_a_finding_that_costs_next_to_nothing_is_only_named(share, begins):
    figures = summarize(sync_run().trace())
    for finding in figures["findings"]:
        finding["share"] = share
    lines = as_text(figures).splitlines()
    assert any(line.startswith(begins) for line in lines)
    assert begins == "finding " or not any(line.startswith("finding") for line in lines)
    assert all(any(one["rule"] in line for line in lines) for one in figures["findings"])


def test_of_several_devices_the_base_is_named_and_each_has_its_own_share():
    figures = summarize(
        several(
            (("k", 0, 40_000), ("k", 60_000, 100_000)), (("k", 0, 50_000), ("k", 60_000, 100_000))
        )
    )
    text = as_text(figures)
    assert "\nidle time by cause, both GPUs together\n" in text
    assert ", 15.0 % of the time of both GPUs together (GPU 0 20.0 %, GPU 1 10.0 %), " in text
    assert "of the run" not in text


def test_of_many_devices_the_four_that_lose_most_are_named():
    made = [(("k", 0, 50 - number), ("k", 50, 100)) for number in range(1, 7)]
    text = as_text(summarize(several(*made)))
    assert "3.5 % of the time of all 6 GPUs together" in text
    assert "(GPU 5 6.0 %, GPU 4 5.0 %, GPU 3 4.0 %, GPU 2 3.0 %, 2 more)" in text


def test_bad_input_is_one_line_on_stderr_and_code_2(tmp_path, capsys):
    path = tmp_path / "notes.txt"
    path.write_text("not a trace")
    assert main(["inspect", str(path)]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("\n") == 1


@pytest.mark.parametrize(("name", "says"), [("a\nb.json", "a b.json"), ("", "No file was named")])
def test_a_strange_file_name_is_complained_about_in_one_line(name, says, capsys):
    assert main(["inspect", name]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert says in line


def test_idle_time_of_other_traces_keeps_its_name(capsys, tmp_path):
    kernels = [
        {"ph": "X", "name": "k", "cat": "kernel", "ts": ts, "dur": 1, "args": {"device": 0}}
        for ts in (0, 5)
    ]
    path = tmp_path / "other.json"
    path.write_text(json.dumps(kernels))
    assert main(["inspect", str(path)]) == 0
    table = capsys.readouterr().out
    assert "\nidle time by cause\n" in table
    assert "active 33.3 % from its first to its last operation" in table


def test_many_causes_are_cut_short_in_the_table(tmp_path, capsys):
    made = sync_run()
    for n in range(20):
        made.host(f"chore {n}", 520 + 10 * n, 530 + 10 * n)
    write_trace(made.trace(), tmp_path / "a.json")
    assert main(["inspect", str(tmp_path / "a.json")]) == 0
    assert "other causes" in capsys.readouterr().out


@pytest.mark.parametrize(("least", "code"), [("0.38", 0), ("0.39", 1), ("0", 0), ("1", 1)])
def test_a_device_that_is_less_active_than_asked_gives_code_1(least, code, tmp_path, capsys):
    path = tmp_path / "run.json.gz"
    write_trace(sync_run().trace(), path)
    assert main(["inspect", str(path), "--min-active", least]) == code
    output = capsys.readouterr()
    assert "active 38.5 %" in output.out
    assert ("GPU 0 is active 38.5 % of the time" in output.err) == bool(code)


def test_a_trace_without_a_device_is_less_active_than_anything_asked(tmp_path, capsys):
    path = tmp_path / "cpu.json"
    path.write_text(json.dumps([{"ph": "X", "name": "aten::add", "ts": 0, "dur": 1}]))
    assert main(["inspect", str(path), "--min-active", "0.5"]) == 1
    assert capsys.readouterr().err == "no GPU work is recorded, so no GPU is active\n"


@pytest.mark.parametrize("least", ["95", "-0.1", "nan", "much"])
def test_a_share_that_is_none_is_refused(least, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["inspect", "run.json", "--min-active", least])
    assert ended.value.code == 2
    assert "a share between 0 and 1" in capsys.readouterr().err
