"""What is recalled is what would have been computed, in every mode and under any timing."""

from dataclasses import replace

import pytest
from hypothesis import settings

from engine import Run, configure, execute
from engine.config import RunConfig
from engine.device.recalled import Recall
from engine.devices import can_recall
from engine.modes.table import MODES

LONG = settings().max_examples > 100
TIMINGS = range(1, 41 if LONG else 3)
MANY_ORDERS = ("no-reuse-device-output", "graphs-at-once")
TRIED = MODES if LONG else (
    "async", "no-reuse-device-input", "no-reuse-device-output", "graphs-at-once",
    "kv-released-at-once", "no-record-stream", "constrained-drafts", "pageable",
)  # fmt: skip


def config_of(mode: str) -> RunConfig:
    config = configure(mode, steps=10 if LONG else 7, jitter=60)
    return replace(config, workload=replace(config.workload, fault_step=4))


def tokens(run: Run) -> dict[str, list[int]]:
    return {request.id: request.tokens for request in run.requests}


@pytest.mark.parametrize("mode", TRIED)
def test_recalled_runs_have_the_log_and_the_tokens_of_computed_ones(mode: str) -> None:
    recall: Recall = {}
    for timing in TIMINGS:
        config = replace(config_of(mode), timing=timing)
        plain, recalled = execute(config), execute(config, recall=recall)
        assert recalled.device.log == plain.device.log
        assert recalled.device.spans == plain.device.spans
        assert tokens(recalled) == tokens(plain)
    assert bool(recall) == can_recall(config_of(mode))


def test_a_correct_run_is_computed_once_whatever_its_timing() -> None:
    recall: Recall = {}
    for timing in range(4):
        run = execute(replace(config_of("async"), timing=timing), recall=recall)
        assert len(recall) == sum(op.name == "read outputs" for op in run.device.log)


@pytest.mark.parametrize("mode", MANY_ORDERS)
def test_another_order_of_conflicting_effects_is_computed_anew(mode: str) -> None:
    recall: Recall = {}
    sizes = []
    for timing in range(4):
        execute(replace(config_of(mode), timing=timing), recall=recall)
        sizes.append(len(recall))
    assert len(set(sizes)) > 1


def test_what_is_known_is_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    config, recall = config_of("async"), {}
    first = execute(config, recall=recall)
    monkeypatch.setattr("engine.model.decoder.Model.embed", None)
    assert tokens(execute(config, recall=recall)) == tokens(first)


@pytest.mark.parametrize("mode", ["pageable", "kernel-error", "global-rng"])
def test_what_leaves_its_mark_outside_of_memory_is_computed_as_ever(mode: str) -> None:
    assert not can_recall(config_of(mode))
    assert not can_recall(replace(config_of("async"), compute=False))
