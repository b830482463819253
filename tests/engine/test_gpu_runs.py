"""Whole runs on a GPU: right where the modelled run is, wrong where it races.

Skipped where there is no GPU; `python -m benchmarks.gpu_check` runs all of it.
"""

import pytest

from engine import run

pytestmark = pytest.mark.gpu

RIGHT = (
    "sync", "async", "ready-queue", "graph-replay", "graph-private-pools", "pageable",
    "carry-through-host", "temporary-outputs", "blocking-streams", "constrained", "speculation",
)  # fmt: skip
RACING = ("no-wait-h2d", "no-wait-compute", "single-buffer")


@pytest.mark.parametrize("mode", RIGHT)
def test_the_same_tokens_as_on_the_modelled_clock(mode):
    real, modelled = run(mode, device="cuda", steps=30), run(mode, steps=30)
    assert real.texts == modelled.texts
    assert (real.hazards, real.invariants, real.errors) == ([], [], [])
    assert [(op.kind, op.name, op.line) for op in real.device.log] == [
        (op.kind, op.name, op.line) for op in modelled.device.log
    ]


@pytest.mark.parametrize("mode", RACING)
def test_a_race_that_is_held_open_gives_wrong_tokens(mode):
    result = run(mode, device="cuda", steps=30, widen_ms=20)
    predicted = run(mode, steps=30, compute=False)
    assert {(h.kind, h.resource) for h in result.hazards} == {
        (h.kind, h.resource) for h in predicted.hazards
    }
    assert result.token_diff.count > 0


def test_times_lie_between_the_hosts_call_and_the_end_of_the_run():
    result = run("async", device="cuda", steps=30)
    error_ns = result.trace.meta["run"]["anchor_error_ns"]
    assert error_ns > 0
    assert all(
        op.call_ns - error_ns <= op.start_ns <= op.end_ns <= result.wall_ns + error_ns
        for op in result.device.log
    )


@pytest.mark.parametrize("mode", ["sync", "async", "graph-replay"])
def test_a_random_model_runs(mode):
    result = run(mode, device="cuda", model="1b", steps=6)
    assert result.steps == 6 and not result.hazards
