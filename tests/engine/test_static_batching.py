"""Static batching: batches stay together, ended rows are computed, the tokens are the same."""

from dataclasses import replace
from itertools import pairwise

import pytest

from engine import configure, execute
from engine.execution import baseline
from engine.model.tokenizer import PLACEHOLDER
from engine.requests.request import Request
from engine.static_batching import is_closed, is_over, padding_rows
from engine.workloads.presets import WORKLOADS

ONE_CHUNK = replace(WORKLOADS["chat"], max_batched_tokens=1000)
"""Every prompt is prefilled in one step, so that a batch's requests begin together."""


def static(workload, **more):
    return execute(configure("static-batching", workload=workload, **more))


def members(result):
    """The requests by the batch they were served in: those that begin at one step."""
    starts = {}
    for request in result.requests:
        starts.setdefault(request.committed_at[0], []).append(request)
    return [starts[step] for step in sorted(starts)]


@pytest.mark.parametrize(
    ("workload", "depth"),
    [("chat", "1"), ("churn", "2"), ("chat-poisson", "3"), ("chat-bursts", "2")],
)
def test_the_tokens_are_those_of_continuous_batching_in_more_steps(workload, depth):
    result = static(workload, set={"depth": depth}, requests=14)
    assert result.token_diff.count == 0
    assert result.steps > baseline(result.config, asynchronous=True).steps
    assert not result.hazards and not result.invariants


def test_a_batch_begins_when_the_one_before_has_ended():
    batches = members(static(ONE_CHUNK))
    assert [len(batch) for batch in batches] == [6, 4]
    for before, after in pairwise(batches):
        last = max(request.committed_at[-1] for request in before)
        assert min(request.committed_at[0] for request in after) > last


def test_every_row_of_an_open_batch_is_computed_at_every_step():
    """Six requests, one chunk each, at depth 1: six rows a step until the longest has ended."""
    result = static(ONE_CHUNK, requests=6, set={"depth": "1"})
    outputs = sum(request.committed for request in result.requests)
    assert result.parts.scheduler.padding_rows == 6 * result.steps - outputs > 0
    kernels = result.trace.spans[result.trace.spans["name"] == "sample"]
    assert len(kernels) == result.steps


def test_continuous_batching_has_no_padding():
    assert execute(configure("async")).parts.scheduler.padding_rows == 0


def request(prompt=4, scheduled=0, most=3, **more):
    return Request("r", list(range(prompt)), most, scheduled=scheduled, **more)


def test_padding_computes_the_last_position_again_and_samples_nothing():
    ended = request(scheduled=3, in_prefill=False, blocks=[7])
    (row,) = padding_rows([ended, request(scheduled=1, in_prefill=False, blocks=[8])])
    assert (row.request, row.start, row.count, row.samples) == (ended, 5, 1, False)
    assert (row.token_ids, row.carry) == ([PLACEHOLDER], -1)
    assert ended.in_flight == 1 and ended.scheduled == 3


def test_a_request_without_blocks_gets_no_padding():
    assert padding_rows([request(finished=True, in_prefill=False, scheduled=2)]) == []


def test_a_batch_is_closed_once_it_has_begun_and_over_when_all_have_ended():
    assert not is_closed([]) and not is_closed([request(), request()])
    assert is_closed([request(), request(prefilled=1)])
    done = request(finished=True)
    assert is_over([]) and is_over([done, done])
    assert not is_over([done, request()])
    assert not is_over([done, request(finished=True, in_flight=1)])
