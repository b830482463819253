"""Carry-over: select whatever the placeholder is; add only over 0."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from engine import configure, execute
from engine.carry import add, carry_over_for, select


def ids(*values):
    return torch.tensor(values)


def test_a_token_that_was_sampled_takes_the_placeholders_place():
    assert select(ids(5, 0, 7), ids(-1, 2, 0), ids(40, 41, 42)).tolist() == [5, 42, 40]
    assert add(ids(5, 0, 7), ids(-1, 2, -1), ids(40, 41, 42)).tolist() == [5, 42, 7]


def test_adding_over_a_stale_placeholder_gives_the_sum_of_two_tokens():
    assert select(ids(9), ids(0), ids(40)).tolist() == [40]
    assert add(ids(9), ids(0), ids(40)).tolist() == [49]


@given(st.data())
def test_select_and_add_agree_where_every_placeholder_is_0(data):
    sampled = data.draw(st.lists(st.integers(0, 255), min_size=1, max_size=8))
    source = data.draw(st.lists(st.integers(-1, len(sampled) - 1), min_size=1, max_size=8))
    known = [0 if place >= 0 else data.draw(st.integers(0, 255)) for place in source]
    arguments = ids(*known), ids(*source), ids(*sampled)
    assert torch.equal(select(*arguments), add(*arguments))


def test_a_place_read_from_damaged_memory_is_no_crash():
    assert select(ids(0), ids(1 << 40), ids(40, 41)).tolist() == [41]


@pytest.mark.parametrize(("carry", "expected"), [("select", select), ("add-stale", add)])
def test_the_toggle_chooses(carry, expected):
    assert carry_over_for(carry) is expected


def test_a_part_can_be_exchanged_before_a_run_begins():
    def nothing(ids, _source, _sampled):
        return ids

    config = configure("async", steps=12)
    changed = execute(config, adjust=lambda parts: setattr(parts.forward, "carry_over", nothing))
    assert execute(config).token_diff.count == 0 < changed.token_diff.count
