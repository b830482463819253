"""The check on a GPU: what is planned, how parts are kept apart, and what each of them measures."""

import sys
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.default_stream import reads_what_was_written
from benchmarks.gpu_check import TOTAL_S, Outcome, Part, check, plan, run_part, section
from benchmarks.gpu_parts import PARTS
from benchmarks.report import table
from benchmarks.steady import padded, pair, saved, shapes, steady
from engine import configure, execute
from engine.devices import DEVICES
from engine.oplog import StreamKind
from engine.results.token_diff import diff_tokens

A, B, C = (Part(name, (name,), 100) for name in "abc")


class Clock:
    """Stands still until it is told otherwise."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def checked(takes, total_s):
    """Run three parts that take so many seconds; what was run, and for how long at most."""
    clock, begun = Clock(), []

    def run(part, limit_s):
        begun.append((part.title, limit_s))
        clock.now += min(takes[part.title], limit_s)
        return Outcome(part, "", "failed" if part is A else "")

    return begun, list(check([A, B, C], run, total_s, clock))


def test_a_part_that_fails_does_not_keep_the_others_from_being_run():
    begun, outcomes = checked({"a": 10, "b": 20, "c": 30}, 300)
    assert begun == [("a", 100), ("b", 100), ("c", 100)]
    assert [outcome.fault for outcome in outcomes] == ["failed", "", ""]


def test_a_part_gets_what_is_left_and_none_is_begun_without_half_of_its_limit():
    begun, outcomes = checked({"a": 90, "b": 100, "c": 1}, 150)
    assert begun == [("a", 100), ("b", 60)]
    assert outcomes[2].fault == "not run: 0 s were left"


def test_all_parts_fit_into_the_time_and_measurements_come_before_tests():
    parts = plan("cuda", ["1b", "8b", "0.1b"], Path("out"))
    assert sum(part.limit_s for part in parts) <= TOTAL_S < 480
    titles = [part.title for part in parts]
    assert titles.index("Overlap, model 8b") < titles.index("Tests that need a GPU")
    of_parts = [part.command[3] for part in parts if "benchmarks.gpu_parts" in part.command]
    assert set(of_parts) == set(PARTS)
    assert not any("pytest" in part.command for part in plan("threads", ["tiny"], Path("out")))


@pytest.mark.parametrize(
    ("code", "fault", "text"),
    [
        ("print('fine')", "", "fine"),
        ("print('half'); raise SystemExit(3)", "failed: it ended with 3", "half"),
        ("print('half'); import time; time.sleep(60)", "stopped after 2 s", "half"),
    ],
)
def test_what_a_part_wrote_before_it_failed_or_was_stopped_is_kept(code, fault, text):
    outcome = run_part(Part("part", (sys.executable, "-S", "-c", code), 2), 2)
    assert (outcome.fault, outcome.text.strip()) == (fault, text)
    assert (f"**This part {fault}.**" in section(outcome)) is bool(fault)


def test_a_command_that_does_not_exist_is_a_fault_of_its_part():
    assert "failed" in run_part(Part("part", ("/no/such/command",), 1), 1).fault


# ------------------------------------------------------------------------ what is measured


@pytest.mark.parametrize("device", ["virtual", "threads"])
def test_non_blocking_streams_race_the_default_stream_and_blocking_ones_stall(device):
    assert not reads_what_was_written(device, StreamKind.NON_BLOCKING)
    assert reads_what_was_written(device, StreamKind.BLOCKING)


def test_the_steady_pace_of_the_published_run_is_known():
    runs = [execute(configure(mode, steps=30, compute=False)) for mode in ("sync", "async")]
    sync, overlapped = map(steady, runs)
    assert sync.active == pytest.approx(0.76, abs=0.01)
    assert overlapped.active > 0.995
    assert overlapped.bound_ms <= overlapped.step_ms < 1.01 * sync.bound_ms
    assert 0.95 < saved(sync, overlapped) <= 1


def test_a_run_too_short_to_have_a_pace_says_so():
    with pytest.raises(ValueError, match="too few"):
        steady(execute(configure("async", steps=1, compute=False)))


def test_a_padded_pair_computes_the_same_tokens_in_the_same_shapes():
    sync, overlapped = pair("virtual", "tiny", 4, graphs=True)
    assert shapes(sync) == shapes(overlapped) == ["graph of 4 rows"]
    assert diff_tokens(overlapped.requests, sync.requests, overlapped.steps, cut=False).count == 0
    assert sync.requests[0].committed == overlapped.requests[0].committed == 96


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_on_a_gpu_all_steady_steps_replay_a_graph_of_the_whole_batch(mode, monkeypatch):
    monkeypatch.setitem(DEVICES, "cuda", replace(DEVICES["cuda"], missing=lambda: ""))
    config = padded(mode, "cuda", "8b", 32, graphs=True)
    run = execute(replace(config, device="virtual", compute=False))
    middle = range(run.steps // 3, 2 * run.steps // 3)
    sizes = {op.graph.partition(",")[0] for op in run.device.log if op.graph and op.step in middle}
    assert sizes == {"graph of 32 rows"}
    assert len(run.requests[0].prompt) > 400


def test_transformers_are_not_needed():
    said = list(PARTS["transformers"](Namespace(device="threads")))
    assert len(said) == 1 and said[0].startswith("Not run")


def test_a_tables_cells_keep_to_their_cells():
    assert table(("a", "b"), [("1 | 2", "x\ny")]) == "| a | b |\n| --- | --- |\n| 1 \\| 2 | x y |\n"
