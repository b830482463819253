"""Sampling: greedy, the counter-based draws, and what top-k and top-p keep."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from engine.model.sampling import Sampler, counter_uniform, make_sampler
from engine.workloads.workload import Workload

WIDTH = 32


def draw(sampler, logits, seeds, positions):
    return sampler(logits, torch.tensor(seeds), torch.tensor(positions)).tolist()


def some_logits(rows, seed=0):
    return torch.randn(rows, WIDTH, generator=torch.Generator().manual_seed(seed)).double()


def test_temperature_zero_takes_the_largest_logit():
    logits = torch.tensor([[0.0, 3.0, 1.0], [2.0, -1.0, 1.0]])
    assert draw(Sampler(), logits, [5, 6], [0, 0]) == [1, 0]


@given(st.permutations(range(6)), st.integers(1, 6))
def test_a_draw_depends_on_its_own_row_and_counter_alone(order, kept):
    sampler = Sampler(temperature=1.0, top_k=20, top_p=0.9)
    logits, seeds, positions = some_logits(6), [3, 3, 4, -5, 2**40, 0], [0, 1, 0, 7, 2, 9_000]
    together = draw(sampler, logits, seeds, positions)
    chosen = order[:kept]
    some = draw(sampler, logits[chosen], [seeds[i] for i in chosen], [positions[i] for i in chosen])
    assert some == [together[i] for i in chosen]


def test_a_global_generator_draws_by_order_of_execution():
    sampled = Workload(temperature=1.0)
    logits, seeds, positions = some_logits(2), [1, 2], [0, 0]

    def both_ways(rng):
        forwards, backwards = (make_sampler(sampled, rng, seed=0) for _ in range(2))
        one = [draw(forwards, logits[[i]], [seeds[i]], [0])[0] for i in (0, 1)]
        other = [draw(backwards, logits[[i]], [seeds[i]], [0])[0] for i in (1, 0)]
        return one, other[::-1], draw(make_sampler(sampled, rng, 0), logits, seeds, positions)

    one, other, together = both_ways("counter")
    assert one == other == together
    one, other, _ = both_ways("global")
    assert one != other


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("axis", ["positions", "seeds"])
def test_draws_follow_the_softmax(temperature, axis):
    count, logits = 20_000, torch.tensor([[1.0, 0.0, -1.0, 2.0, 0.5, -2.0]]).double()
    running, fixed = torch.arange(count), torch.full((count,), 17)
    seeds, positions = (fixed, running) if axis == "positions" else (running, fixed)
    tokens = Sampler(temperature)(logits.expand(count, -1), seeds, positions)
    observed = torch.bincount(tokens, minlength=6).double()
    expected = (logits[0] / temperature).softmax(-1) * count
    chi_square = ((observed - expected) ** 2 / expected).sum().item()
    assert chi_square < 20.5  # 5 degrees of freedom: exceeded once in a thousand


def test_numbers_of_counter_zero_are_those_of_splitmix64_seeded_with_zero():
    known = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    zero = torch.tensor([0])
    assert counter_uniform(zero, zero, 3).tolist() == [[(x >> 11) / 2**53 for x in known]]


def test_no_two_counters_share_their_numbers():
    seeds, positions = torch.arange(100).repeat_interleave(100), torch.arange(100).repeat(100)
    assert len(counter_uniform(seeds, positions, 1).unique()) == 100 * 100


def test_uniform_numbers_fill_the_unit_interval_evenly():
    numbers = counter_uniform(torch.arange(200), torch.arange(200) * 3, 100)
    assert numbers.shape == (200, 100)
    assert 0 <= numbers.min() and numbers.max() < 1
    observed = torch.histc(numbers, 20, 0, 1)
    assert ((observed - 1000) ** 2 / 1000).sum() < 43.8  # 19 degrees of freedom, 1 in 1,000


def test_top_k_keeps_the_k_most_likely():
    logits = torch.tensor([[4.0, 3.0, 2.0, 1.0]]).expand(500, -1).double()
    tokens = draw(Sampler(5.0, top_k=2), logits, list(range(500)), [0] * 500)
    assert set(tokens) == {0, 1}


@pytest.mark.parametrize(
    ("top_p", "kept"),
    [(0.0, {2}), (0.3, {2}), (0.49, {2}), (0.51, {2, 0}), (0.79, {2, 0}), (0.81, {2, 0, 3})],
)
def test_top_p_keeps_the_smallest_set_that_reaches_its_share(top_p, kept):
    shares = torch.tensor([[0.3, 0.05, 0.5, 0.15]]).double()
    logits = shares.log().expand(400, -1)
    tokens = draw(Sampler(1.0, top_p=top_p), logits, list(range(400)), [0] * 400)
    assert set(tokens) == kept


def test_each_row_has_a_nucleus_of_its_own():
    logits = torch.tensor([[0.0, 9.0, 0.0], [0.0, 0.0, 9.0]]).double()
    assert draw(Sampler(1.0, top_p=0.9), logits, [1, 1], [0, 0]) == [1, 2]


def test_a_workload_says_how_to_sample():
    sampler = make_sampler(Workload(temperature=0.7, top_k=5, top_p=0.8), "counter", seed=0)
    assert sampler == Sampler(0.7, 5, 0.8, None)
