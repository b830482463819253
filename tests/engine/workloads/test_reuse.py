"""Ids used again: epochs, and who may follow whom."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import configure, execute
from engine.requests.request import Request
from engine.workloads.reuse import follow, wrong_link
from engine.workloads.workload import Prompt, Workload


def made(*specs):
    known, requests = {}, []
    for name, after in specs:
        request = Request(name, [2], 3)
        follow(request, after, known)
        requests.append(request)
    return requests


def test_each_use_of_an_id_is_an_epoch_with_a_key_of_its_own():
    requests = made(("a", ""), ("a", "a"), ("b", ""), ("a", "a"))
    assert [(r.id, r.name, r.epoch) for r in requests] == [
        ("a", "a", 1), ("a#2", "a", 2), ("b", "b", 1), ("a#3", "a", 3),
    ]  # fmt: skip
    assert [r.after and r.after.id for r in requests] == [None, "a", None, "a#2"]


@pytest.mark.parametrize(
    "listed",
    [
        [("a", ""), ("b", "")],
        [("a", ""), ("a", "a"), ("a", "a")],
        [("a", ""), ("b", "a"), ("a", "b")],
    ],
)
def test_an_id_may_come_again_behind_its_own_end(listed):
    assert wrong_link(listed) == ""


@pytest.mark.parametrize(
    ("listed", "sentence"),
    [
        ([("a", ""), ("a", "")], "two requests are called 'a'"),
        ([("a", ""), ("b", ""), ("a", "b")], "two requests are called 'a'"),
        ([("a", ""), ("a", "a"), ("b", ""), ("a", "b")], "two requests are called 'a'"),
        ([("b", "a"), ("a", "")], "request 'b' comes after 'a', which is not listed before it"),
        ([("a", "a")], "request 'a' comes after 'a', which is not listed before it"),
        ([("a", ""), ("a#2", ""), ("a", "a")], "a request 'a' and a request 'a#2' would both be"),
        ([("a", ""), ("a", "a"), ("a#2", "")], "a request 'a#2' and a request 'a' would both be"),
    ],
)
def test_what_could_mix_two_requests_up_is_refused(listed, sentence):
    assert wrong_link(listed).startswith(sentence)


NAMES = st.sampled_from(["a", "b", "a#2", "a#3", "a#2#2", "b#02"])


@given(st.lists(st.tuples(NAMES, st.just("") | NAMES), max_size=7))
def test_what_is_not_refused_gives_every_request_an_id_of_its_own(listed):
    if wrong_link(listed) == "":
        ids = [request.id for request in made(*listed)]
        assert len(set(ids)) == len(ids)


def test_an_id_like_the_engines_own_stands_for_itself_where_none_comes_again():
    result = listed_run(Prompt("hi", 9, "a#2"), Prompt("ho", 9, "a"))
    assert result.invariants == [] and {r.id for r in result.requests} == {"a", "a#2"}


def listed_run(*prompts, **size):
    workload = Workload(requests=prompts, **size)
    return execute(configure("async", workload=workload, compute=False))


def first_steps(result):
    """The step that committed the first token of each request."""
    return {r.id: r.committed_at[0] for r in result.requests}


def test_a_request_comes_when_the_one_before_it_is_over_and_holds_nobody_else_up():
    result = listed_run(
        Prompt("one", 20, "a"), Prompt("two", 3, "a", after="a"), Prompt("three", 3, "b")
    )
    steps = first_steps(result)
    end = result.requests[0].committed_at[-1]
    assert steps["a"] == steps["b"] < end < steps["a#2"]
    assert result.invariants == []


def test_an_id_used_again_stands_next_to_the_old_requests_row_in_flight():
    """The scene of the catalogue: the new one joins while the old one's last row is computed."""
    result = execute(configure("async", workload="same-clients"))
    chains = {}
    for request in result.requests:
        chains.setdefault(request.name, []).append(request)
    by_eos = [
        (earlier, later)
        for chain in chains.values()
        for earlier, later in zip(chain, chain[1:], strict=False)
        if earlier.committed < earlier.max_new_tokens
    ]
    assert any(later.committed_at[0] == earlier.committed_at[-1] + 2 for earlier, later in by_eos)
