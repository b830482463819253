"""Whole runs on the device of threads: right where the modelled run is, wrong where it races."""

import threading

import pytest

from benchmarks.race_modes import LATE, RACING, races
from engine import configure, execute, run
from engine.device.worker import DeviceError
from engine.model.decoder import Model
from traces import open_trace, trace_bytes

STEPS = 8
SOON = [mode for mode in RACING if mode not in LATE]
RIGHT = (
    "sync", "async", "ready-queue", "graph-replay", "pageable", "carry-through-host",
    "temporary-outputs", "blocking-streams", "two-streams-copies", "blocking-launch",
    "constrained", "speculation",
)  # fmt: skip


def stream_threads():
    return [thread for thread in threading.enumerate() if thread.name.startswith("stream ")]


# ------------------------------------------------------------------- right and wrong


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_the_same_tokens_as_on_the_modelled_clock(mode):
    real, modelled = run(mode, device="threads", steps=30), run(mode, steps=30)
    assert real.texts == modelled.texts
    assert (real.hazards, real.invariants, real.errors) == ([], [], [])
    assert real.token_diff.count == 0
    assert [(op.kind, op.name, op.line) for op in real.device.log] == [
        (op.kind, op.name, op.line) for op in modelled.device.log
    ]
    assert stream_threads() == []


@pytest.mark.parametrize("mode", RIGHT)
def test_a_correct_mode_stays_right_when_its_copies_are_held_back(mode):
    result = run(mode, device="threads", steps=STEPS, widen_ms=3)
    assert (result.token_diff.count, result.hazards, result.invariants) == (0, [], [])


def tokens_go_wrong_and_the_races_are_the_predicted_ones(mode, steps):
    result = run(mode, device="threads", steps=steps, widen_ms=80)
    assert races(result) == races(run(mode, steps=steps, compute=False)) != set()
    assert result.token_diff.count > 0


@pytest.mark.parametrize("mode", SOON)
def test_a_racing_mode_gives_wrong_tokens_when_what_races_is_held_back(mode):
    tokens_go_wrong_and_the_races_are_the_predicted_ones(mode, STEPS)


@pytest.mark.slow
@pytest.mark.parametrize("mode", LATE)
def test_a_mode_that_races_late_gives_wrong_tokens_too(mode):
    tokens_go_wrong_and_the_races_are_the_predicted_ones(mode, None)


def test_an_injected_failure_is_noticed_by_the_same_wait():
    real = run("kernel-error", device="threads", steps=30)
    assert real.errors == run("kernel-error", steps=30).errors != []


# ------------------------------------------------------------ the run and what is made of it


def test_trace_figures_and_gaps_are_made_as_ever():
    result = run("async", device="threads", steps=STEPS)
    numbers = result.figures
    assert 0 < numbers.gpu_active <= 1
    assert result.trace.meta["run"]["device"] == "threads"
    spans = result.trace.spans
    end_ns = (spans["ts_ns"] + spans["dur_ns"]).max()
    assert spans["ts_ns"].min() == 0 < end_ns <= result.wall_ns
    idle_ms = numbers.gpu_idle_ms - (result.wall_ns - end_ns) / 1e6
    assert sum(numbers.gaps.values()) == pytest.approx(idle_ms)
    assert {"schedule", "update state"} <= set(spans["name"])
    assert open_trace(trace_bytes(result.trace)).spans.equals(result.trace.spans)


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("compute", [True, False])
def test_a_paced_run_takes_the_predicted_time_at_least(mode, compute):
    paced = run(mode, device="threads", pace=True, compute=compute, steps=5)
    predicted = run(mode, compute=compute, steps=5)
    assert paced.wall_ns >= 0.98 * predicted.wall_ns
    assert paced.steps == predicted.steps


def test_a_run_that_is_paced_or_widened_says_so():
    config = configure("async", device="threads", pace=True, widen_ms=4)
    assert (config.describe()["pace"], config.describe()["widen_ms"]) == (True, 4)
    assert config.prediction == configure("async")
    assert config.baseline(asynchronous=True) == configure("async", device="threads", pace=True)


# ---------------------------------------------------------------------------- an end to it


@pytest.mark.parametrize("device", ["virtual", "threads"])
@pytest.mark.parametrize("mode", ["sync", "async", "ready-queue"])
def test_a_run_that_is_told_to_stop_finishes_what_is_in_flight(device, mode):
    told = threading.Event()
    seen = []

    def listener(request, text):
        seen.append(text)
        told.set()

    result = execute(configure(mode, device=device), listener=listener, stop=told.is_set)
    assert result.stopped
    assert 1 <= result.steps <= 4 < run(mode, compute=False).steps
    assert seen and result.token_diff.count == 0 and result.token_diff.total > 0
    assert (result.invariants, stream_threads()) == ([], [])


def test_a_run_that_is_stopped_before_it_starts_has_no_steps():
    result = run("async", device="threads", stop=lambda: True)
    assert (result.steps, result.stopped, result.invariants) == (0, True, [])
    assert result.token_diff.count == 0


def test_an_exception_in_a_kernel_ends_the_run_and_every_thread(monkeypatch):
    def layer(*arguments):
        raise RuntimeError("no such layer")

    monkeypatch.setattr(Model, "layer", layer)
    with pytest.raises(DeviceError, match="'layer 0' of batch 0 failed on stream 'compute'"):
        run("async", device="threads", steps=STEPS)
    assert stream_threads() == []


def test_an_exception_on_the_host_ends_every_thread():
    def listener(request, text):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run("async", device="threads", listener=listener)
    assert stream_threads() == []
