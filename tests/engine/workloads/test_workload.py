"""Workloads: the presets, and the requests they make."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import configure, execute
from engine.kv.pool import blocks_for
from engine.model.tokenizer import encode
from engine.workloads.presets import WORKLOADS
from engine.workloads.workload import Prompt, Workload, WorkloadError


def ids(workload, count=None, endless=False, most=200):
    return [r.id for r in itertools.islice(workload.requests_for(0, count, endless), most)]


@pytest.mark.parametrize(
    ("count", "endless", "expected"),
    [(None, False, 16), (5, False, 5), (40, False, 40), (5, True, 5), (None, True, 200)],
)
def test_a_generated_workload_is_as_long_as_asked(count, endless, expected):
    assert ids(Workload(), count, endless) == [f"r{i}" for i in range(expected)]


@pytest.mark.parametrize(("count", "expected"), [(None, 3), (2, 2), (9, 3)])
def test_a_listed_workload_has_the_requests_it_lists(count, expected):
    workload = Workload(requests=(Prompt("a", 1), Prompt("b", 2, "mine", 4), Prompt("c", 3)))
    requests = list(workload.requests_for(0, count, endless=True))
    assert [r.id for r in requests] == ["r0", "r2", "mine"][:expected]
    second = requests[1]
    assert (second.prompt, second.max_new_tokens, second.arrival_step) == (encode("c"), 3, 0)


def test_generated_requests_keep_to_their_lengths_and_arrivals():
    workload = replace(WORKLOADS["chat"], shortest=5, longest=9, spread=3)
    requests = list(workload.requests_for(7, 60, endless=False))
    assert {r.max_new_tokens for r in requests} == set(range(5, 10))
    assert [r.arrival_step for r in requests] == [3 * i for i in range(60)]


def test_a_seed_decides_the_requests():
    def made(seed):
        requests = WORKLOADS["churn"].requests_for(seed, None, endless=False)
        return [(r.prompt, r.max_new_tokens, r.seed) for r in requests]

    assert made(1) == made(1) != made(2)
    assert len({seed for _, _, seed in made(1) + made(2)}) == 2 * WORKLOADS["churn"].count


def test_a_request_that_can_never_fit_is_refused():
    workload = Workload(requests=(Prompt("abc", 30),), kv_blocks=2, block_size=16)
    with pytest.raises(WorkloadError, match="r0 needs 3 KV blocks and the pool has 2"):
        list(workload.requests_for(0, None, endless=False))


@pytest.mark.parametrize(
    ("prompts", "message"),
    [
        ([Prompt("abc", 3, "a"), Prompt("abc", 3, "b", after="zz")], "'zz', which is not listed"),
        ([Prompt("abc", 3, "a", after="a")], "'a', which is not listed before it"),
        ([Prompt("abc", 3, "a"), Prompt("abc", 3, "a")], "two requests are called 'a'"),
    ],
)
def test_a_workload_of_python_is_refused_in_one_sentence_where_its_requests_do_not_follow(
    prompts, message
):
    with pytest.raises(WorkloadError, match=message) as refused:
        execute(configure("async", workload=Workload(requests=tuple(prompts)), compute=False))
    assert "\n" not in str(refused.value)


@given(st.sampled_from(sorted(WORKLOADS)), st.integers(1, 256))
def test_another_batch_size_keeps_the_workload_runnable(name, batch):
    workload = WORKLOADS[name].with_batch(batch)
    assert workload.batch == batch <= workload.max_batched_tokens
    if batch >= WORKLOADS[name].batch and workload.admission == "full":
        longest = blocks_for(64 + workload.longest, workload.block_size)
        assert workload.kv_blocks >= min(batch, workload.count) * longest


# ------------------------------------------------------------------- arrivals and lengths

ARRIVING = {name: WORKLOADS[name] for name in ("chat-poisson", "chat-bursts")}


def arrivals(workload, seed=3, count=4000):
    return list(itertools.islice(workload.arrival_steps(seed), count))


@given(st.integers(0, 9), st.integers(0, 60), st.integers(1, 20))
def test_bursts_come_together_at_even_distances(seed, spread, burst):
    workload = Workload(spread=spread, burst=burst)
    assert arrivals(workload, seed, 100) == [n // burst * spread for n in range(100)]


@given(st.integers(0, 2**40), st.integers(2, 40))
def test_poisson_arrivals_have_their_mean_and_spread_like_an_exponential(seed, spread):
    steps = arrivals(Workload(arrivals="poisson", spread=spread), seed)
    gaps = [after - before for before, after in itertools.pairwise(steps)]
    mean = sum(gaps) / len(gaps)
    assert min(gaps) >= 0
    assert mean == pytest.approx(spread, rel=0.12)
    deviation = (sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) ** 0.5
    assert deviation == pytest.approx(spread, rel=0.2)


def test_poisson_arrivals_with_no_time_between_them_are_there_at_once():
    assert set(arrivals(Workload(arrivals="poisson"), count=50)) == {0}


@pytest.mark.parametrize("name", ARRIVING)
def test_requests_arrive_when_the_arrival_process_says(name):
    requests = list(ARRIVING[name].requests_for(5, None, endless=False))
    assert [r.arrival_step for r in requests] == arrivals(ARRIVING[name], 5, len(requests))
    assert len({r.arrival_step for r in requests}) > 2


def test_listed_requests_arrive_in_the_order_of_their_steps():
    workload = Workload(requests=(Prompt("a", 1, "", 7), Prompt("b", 1), Prompt("c", 1, "", 3)))
    assert arrivals(workload) == [0, 3, 7]


@given(st.integers(1, 600), st.integers(0, 40), st.integers(0, 5), st.sampled_from([0, 50, 100]))
def test_prompts_have_the_lengths_asked_for(shortest, more, seed, near_end):
    workload = Workload(
        prompt_shortest=shortest, prompt_longest=shortest + more, kv_blocks=1000, count=12,
        near_end=near_end,
    )  # fmt: skip
    sizes = [len(r.prompt) for r in workload.requests_for(seed, None, endless=False)]
    bos = len(encode(""))
    assert all(shortest <= size - bos <= shortest + more for size in sizes)
    assert max(sizes) + workload.longest <= workload.longest_request + bos
    if more > 20:
        assert len(set(sizes)) > 1


def test_a_longer_prompt_ends_as_the_shorter_one_did_and_a_cut_one_begins_so():
    def made(size):
        workload = Workload(prompt_shortest=size, prompt_longest=size, kv_blocks=400, count=6)
        return [r.prompt for r in workload.requests_for(1, None, endless=False)]

    plain = [r.prompt for r in Workload(count=6).requests_for(1, None, endless=False)]
    for text, long, short in zip(plain, made(300), made(5), strict=True):
        assert long[-len(text) + 1 :] == text[1:]
        assert short == text[: len(short)]


@pytest.mark.parametrize("name", ARRIVING)
def test_sync_and_async_see_the_same_arrivals(name):
    sync, overlapped = (execute(configure(mode, workload=name)) for mode in ("sync", "async"))
    assert sync.texts == overlapped.texts
    assert [r.arrival_step for r in sync.requests] == [r.arrival_step for r in overlapped.requests]
    for result in (sync, overlapped):
        assert not result.invariants and not result.hazards
