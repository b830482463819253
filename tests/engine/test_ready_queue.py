"""The ready-queue form of the loop: other order of moves, same tokens, same verdicts."""

import pytest

from engine import configure, execute
from engine.modes.table import MODES
from engine.oplog import OpKind
from engine.results.verdict import letters, own_gaps
from tests.sparing import every

GROUPS = ("order", "buffers", "depth", "lengths", "identity")
"""Where the order of the host's moves could make a difference."""

PIPELINED = every(
    4, (mode for mode in MODES.values() if mode.group in GROUPS), lambda mode: mode.name
)


def ready_queue(mode="async", **options):
    toggles = options.pop("set", {})
    return execute(configure(mode, set={"loop": "ready-queue", **toggles}, **options))


@pytest.mark.parametrize("mode", PIPELINED)
def test_a_scene_has_the_verdicts_of_the_pipelined_loop(mode):
    result = ready_queue(mode.name)
    assert letters(result) == mode.expect
    assert {(h.kind, h.resource) for h in result.hazards} == mode.hazards
    if mode.cause:
        assert mode.cause in own_gaps(result)


def test_one_batch_in_flight_is_the_synchronous_loop():
    result = ready_queue(set={"depth": "1"}, workload="churn")
    assert result.token_diff.count == 0
    assert result.figures.wasted_rows == 0


def test_results_are_taken_when_they_come_though_the_pipeline_is_not_full():
    """Where the host is slow the oldest batch is done long before `depth` are launched."""
    deep = {"depth": "4", "device_slots": "4", "host_slots": "4"}
    options = {"workload": "churn", "cost": "cpu-bound"}
    pipelined = execute(configure("async", set=deep, **options))
    result = ready_queue(set=deep, **options)
    assert result.figures.wasted_rows < pipelined.figures.wasted_rows
    assert result.parts.ledger.peak_in_flight < pipelined.parts.ledger.peak_in_flight
    assert result.texts == pipelined.texts


def test_the_host_sleeps_in_place_of_asking_again_and_again():
    result = ready_queue(steps=20, compute=False)
    asked = [op for op in result.device.log if op.name == "query d2h_done"]
    slept = [s for s in result.device.spans if s.name == "wait d2h_done" and s.end_ns > s.start_ns]
    assert len(asked) < result.steps
    assert len(slept) > result.steps / 2


def test_a_yes_is_in_the_log_as_an_order_with_the_batchs_own_record():
    result = ready_queue(steps=20, compute=False, cost="cpu-bound")
    asked = [op for op in result.device.log if op.name == "query d2h_done"]
    assert asked
    for op in asked:
        record = result.device.log.ops[op.target]
        assert (op.kind, record.kind, record.name) == (OpKind.SYNC_OP, OpKind.RECORD, "d2h_done")
        assert all(
            o.end_ns <= op.issue_ns
            for o in result.device.log.ops
            if o.name == "d2h out" and o.step == record.step
        )
