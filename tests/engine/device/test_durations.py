"""Durations by name: every one can be changed, and nothing else changes with it."""

from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.device.costs import COSTS
from engine.device.durations import (
    BY_AMOUNT,
    DURATIONS,
    GROUPS,
    DurationError,
    duration_ns,
    single_durations,
    with_duration,
)

COST = COSTS["published-8b"]


@pytest.mark.parametrize("name", DURATIONS)
def test_a_factor_of_one_changes_nothing_and_another_this_duration_alone(name: str) -> None:
    assert with_duration(COST, name, "1x") == COST
    longer = with_duration(COST, name, "3x")
    assert duration_ns(longer, name) == 3 * duration_ns(COST, name)
    whole = name.partition(".")[0]
    for other in DURATIONS:
        if whole not in (other, other.partition(".")[0]):
            assert duration_ns(longer, other) == duration_ns(COST, other)


@given(st.sampled_from(DURATIONS), st.integers(0, 10_000))
def test_a_time_a_step_is_what_it_takes_then(name: str, ms: int) -> None:
    changed = with_duration(COST, name, f"{ms}ms")
    members = len(GROUPS[name][1]) if name in GROUPS else 0  # each is rounded down
    assert ms * 10**6 - members <= duration_ns(changed, name) <= ms * 10**6


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_takes_what_comes_by_amount_along(group: str) -> None:
    cost = COSTS["small-gpu"]
    entry = BY_AMOUNT[group]
    assert asdict(with_duration(cost, group, "0x"))[entry] in (0, {"mask": 0})
    member = f"{group}.{GROUPS[group][1][0]}"
    assert asdict(with_duration(cost, member, "0x"))[entry] == asdict(cost)[entry]


def test_only_durations_that_take_time_are_single_durations() -> None:
    assert set(single_durations(COSTS["worked-2-6"])) == {
        "host.schedule", "host.allocate", "host.update inputs", "compute.layer",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("h3d", "2x"), ("compute.nothing", "2x"), ("h2d", "two"), ("h2d", "-1x"), ("h2d", "1e9x"),
        ("h2d", "99999ms"), ("h2d", "3"), ("h2d", ""), ("h2d", "1x1ms"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_in_one_sentence(name: str, text: str) -> None:
    with pytest.raises(DurationError) as refused:
        with_duration(COST, name, text)
    assert len(str(refused.value).splitlines()) == 1


def test_a_group_without_time_cannot_be_stretched_to_one() -> None:
    nothing = with_duration(COST, "compute", "0x")
    with pytest.raises(DurationError, match=r"name one part, such as compute\.carry"):
        with_duration(nothing, "compute", "5ms")
    assert duration_ns(with_duration(nothing, "compute.layer", "5ms"), "compute") == 5_000_000
