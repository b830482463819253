"""Prompt lookup: what followed where a text's last tokens stood before."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from engine.drafting import PATTERNS, lookup

WIDTH = 24
texts = st.lists(st.integers(0, 3), min_size=1, max_size=20)


def found(*rows, k=4):
    history = torch.zeros((len(rows), WIDTH), dtype=torch.int64)
    for number, row in enumerate(rows):
        history[number, : len(row)] = torch.tensor(row)
    return lookup(history, torch.tensor([len(row) for row in rows]), k).tolist()


def by_hand(text, k):
    """The same with loops over one text."""
    for size in sorted(PATTERNS, reverse=True):
        for follows in range(len(text) - 1, size - 1, -1):
            if text[follows - size : follows] == text[-size:]:
                goes_on = list(text)
                for _ in range(k):
                    goes_on.append(goes_on[len(goes_on) - (len(text) - follows)])
                return goes_on[len(text) :]
    return [-1] * k


@given(st.lists(texts, min_size=1, max_size=5), st.integers(1, 6))
def test_the_batched_lookup_is_the_one_by_hand(rows, k):
    assert found(*rows, k=k) == [by_hand(row, k) for row in rows]


def test_a_repeated_text_goes_on_repeating():
    assert found([5, 6, 7, 5, 6, 7]) == [[5, 6, 7, 5]]


def test_a_text_that_never_repeats_has_no_drafts():
    assert found([1, 2, 3, 4, 5]) == [[-1] * 4]


def test_the_longer_match_is_preferred_to_the_later_one():
    assert found([1, 2, 3, 8, 0, 2, 3, 9, 1, 2, 3], k=1) == [[8]]
