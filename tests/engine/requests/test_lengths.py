"""The ends of a request: who notices EOS and the longest length, and what that costs."""

from dataclasses import replace

import pytest

from engine import configure, execute
from engine.mechanisms.table import Mechanisms
from engine.model.corpus import prompts, unfinished
from engine.model.tokenizer import EOS
from engine.requests.lengths import bound_rows, late_rows
from engine.requests.request import Request
from engine.workloads.workload import Prompt, Workload, WorkloadError
from tests.engine.scenarios import scenario

ENDING = next(iter(unfinished(38)))
"""A text that lacks only its last words: it ends by EOS well before 80 tokens."""

OPENING = prompts(7, 1)[0]


def run(workload="churn", **toggles):
    return execute(configure("async", workload=workload, set=toggles))


def ended_by_eos(result):
    """Requests that EOS ended before their longest length."""
    return [r for r in result.requests if r.committed < r.max_new_tokens]


def listed(*requests, **size):
    return Workload(requests=tuple(Prompt(*r) for r in requests), **size)


@pytest.mark.parametrize(
    ("toggles", "late"),
    [({}, 0), ({"length_check": "late"}, 1), ({"length_check": "late", "depth": "4"}, 3)],
)
def test_late_rows_are_those_of_the_other_batches_in_flight(toggles, late):
    mechanisms = Mechanisms().with_settings(toggles)
    request = Request("r", [2], 5)
    bound_rows(request, mechanisms)
    assert (late_rows(mechanisms), request.row_limit) == (late, 5 + late)


@pytest.mark.parametrize("toggles", [{}, {"eos_policy": "mask"}])
def test_discarding_and_masking_waste_one_row_for_each_request_that_eos_ends(toggles):
    result = run(**toggles)
    assert len(ended_by_eos(result)) > 3
    assert result.figures.wasted_rows == len(ended_by_eos(result))


def test_removing_ended_rows_wastes_none():
    assert run(eos_policy="remove").figures.wasted_rows == 0


def test_rows_that_run_to_their_cap_waste_all_that_follows_eos():
    result = run(eos_policy="cap")
    left = sum(r.max_new_tokens - r.committed for r in result.requests)
    assert result.figures.wasted_rows == left > 0
    assert all(r.computed == r.max_new_tokens for r in result.requests)
    assert all(r.finished for r in result.requests)


@pytest.mark.parametrize("number", [14661, 15872, *range(20)])
def test_whatever_holds_a_row_up_behind_the_end_of_its_text_the_request_ends(number):
    """In the first two scenarios a row misses a step: what it would need was thrown away."""
    config = scenario(number)
    cap = config.mechanisms.with_settings({"eos_policy": "cap"})
    result = execute(replace(config, mechanisms=cap))
    assert (result.invariants, result.hazards) == ([], [])


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_a_late_length_check_wastes_the_rows_in_flight_of_each_request(depth):
    workload = listed((OPENING, 5), (OPENING, 9))
    size = {"depth": str(depth), "device_slots": str(depth), "host_slots": str(depth)}
    result = run(workload, length_check="late", **size)
    assert [r.committed for r in result.requests] == [5, 9]
    assert result.figures.wasted_rows == 2 * (depth - 1)
    assert run(workload, **size).figures.wasted_rows == 0


@pytest.mark.parametrize("policy", ["discard", "remove", "mask", "cap"])
def test_nothing_behind_eos_is_committed_or_streamed(policy):
    told = []
    config = configure(
        "async", workload=listed((ENDING, 80, "ending")), set={"eos_policy": policy}
    )  # fmt: skip
    (request,) = execute(config, listener=lambda name, text: told.append(text)).requests
    assert request.tokens.index(EOS) == len(request.tokens) - 1 < 79
    assert "".join(told) == request.text


def test_a_late_row_has_kv_blocks_of_its_own_to_write_to():
    """At depth 4 the last late row stands two positions behind the last one reserved else."""
    length = 3 * 16 - len(OPENING.encode()) % 16  # prompt (BOS counted) and output fill blocks
    workload = listed((OPENING, length - 1, "a"), (OPENING, length - 1, "b"))
    deep = {"depth": "4", "device_slots": "4", "host_slots": "4"}
    result = run(workload, length_check="late", **deep)
    plain = run(workload, **deep)
    assert result.parts.pool.peak_in_use == plain.parts.pool.peak_in_use + 2
    assert (result.invariants, result.token_diff.count) == ([], 0)


def test_late_rows_that_can_never_fit_are_refused_in_a_sentence():
    needed = -(-(len(OPENING.encode()) + 1 + 7) // 8) * 8
    workload = listed(
        (OPENING, needed - len(OPENING.encode()) - 1), block_size=8, kv_blocks=needed // 8
    )  # fmt: skip
    assert run(workload).invariants == []
    with pytest.raises(WorkloadError, match="with those of its late rows"):
        run(workload, length_check="late")
