"""The recording of PyTorch's profiler beside our own trace of the same run."""

from collections import Counter
from statistics import median

import pytest

from engine import configure
from engine.cli import main
from engine.config import ConfigError
from engine.device.api import HostSpan
from engine.measured.torch_profile import STEP, agreement, run_profiled, step_differences
from traces import Trace, open_trace

STEPS = 8


@pytest.fixture(scope="module")
def profiled(tmp_path_factory):
    """A run, what was compared, and the profiler's recording of it."""
    path = tmp_path_factory.mktemp("profile") / "kineto.json.gz"
    config = configure("async", device="threads", pace=True, steps=STEPS)
    return *run_profiled(config, path), open_trace(path)


def test_every_host_span_and_step_is_an_annotation(profiled):
    result, _, recorded = profiled
    spans = recorded.spans
    names = Counter(spans["name"][spans["kind"] == "annotation"])
    expected = Counter(span.name for span in result.device.spans)
    assert {name: names[name] for name in expected} == dict(expected)
    assert [name for name in names if name.startswith(STEP)] == [
        f"{STEP}{step}" for step in range(STEPS)
    ]


def test_the_operators_of_every_thread_are_recorded(profiled):
    spans = profiled[2].spans
    operators = spans[spans["kind"] == "op"]
    assert operators["track"].nunique() >= 4  # the host and three streams
    assert "aten::argmax" in set(operators["name"])


def test_both_traces_agree_on_the_step_times(profiled):
    result, compared, recorded = profiled
    assert compared == agreement(result.device.spans, recorded)
    assert compared["steps"] == STEPS - 1
    begun = [span.start_ns for span in result.device.spans if span.name == "schedule"]
    usual_ms = median(b - a for a, b in zip(begun, begun[1:], strict=False)) / 1e6
    assert compared["median_difference_ms"] < usual_ms / 10
    assert compared["median_difference_ms"] <= compared["largest_difference_ms"]


def test_what_differs_is_found():
    ours = [HostSpan("schedule", at, at + 1, step) for step, at in enumerate([0, 100, 250, 300])]
    theirs = Trace.from_rows(
        [
            {"ts_ns": 7_000 + at, "dur_ns": 1, "name": f"{STEP}{step}", "kind": "annotation"}
            for step, at in enumerate([0, 100, 255])
        ]
    )
    assert step_differences(ours, theirs) == [0, 5]
    assert agreement(ours, theirs) == {
        "steps": 2, "median_difference_ms": 2.5e-6, "largest_difference_ms": 5e-6
    }  # fmt: skip
    assert agreement(ours[:1], theirs)["steps"] == 0


def test_a_modelled_run_is_not_profiled(tmp_path):
    with pytest.raises(ConfigError, match="a profiler times real work"):
        run_profiled(configure("async", steps=2), tmp_path / "x.json")


def test_the_command_line_writes_the_recording(capsys, tmp_path):
    path = tmp_path / "kineto.json"
    arguments = ["run", "--device", "threads", "--steps", "3", "--profile", "torch"]
    assert main([*arguments, "--out", str(path)]) == 0
    assert "PyTorch's profiler: 2 step times" in capsys.readouterr().out
    assert open_trace(path).spans["name"].str.startswith(STEP).sum() == 3


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--device", "threads"], "say where with --out"),
        (["--out", "x.json"], "a profiler times real work"),
        (["--device", "threads", "--out", "/no/such/x.json"], "cannot be written"),
    ],
)
def test_what_cannot_be_profiled_is_one_line(capsys, arguments, told):
    assert main(["run", "--profile", "torch", "--steps", "2", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and told in captured.err
