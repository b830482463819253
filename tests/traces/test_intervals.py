"""Interval sets against brute force on single instants."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from traces import intervals

pairs = st.lists(st.tuples(st.integers(-20, 40), st.integers(-20, 40)), max_size=12)


def instants(rows: list[tuple[int, int]]) -> set[int]:
    return {t for start, end in rows for t in range(start, end)}


def as_set(rows: list[tuple[int, int]]) -> intervals.Intervals:
    return intervals.union([a for a, _ in rows], [b for _, b in rows])


def covered(found: intervals.Intervals) -> set[int]:
    return instants([(int(a), int(b)) for a, b in found])


def is_normal(found: intervals.Intervals) -> bool:
    edges = found.ravel()
    return found.dtype == np.int64 and bool((edges[1:] > edges[:-1]).all())


@given(pairs)
def test_union_covers_exactly_the_same_instants_in_normal_form(rows):
    found = as_set(rows)
    assert is_normal(found)
    assert covered(found) == instants(rows)
    assert intervals.total(found) == len(instants(rows))


@given(pairs, pairs)
def test_intersection_and_subtraction_agree_with_sets_of_instants(a, b):
    both = intervals.intersection(as_set(a), as_set(b))
    without = intervals.subtraction(as_set(a), as_set(b))
    assert is_normal(both)
    assert is_normal(without)
    assert covered(both) == instants(a) & instants(b)
    assert covered(without) == instants(a) - instants(b)


@given(pairs, st.integers(-20, 40), st.integers(0, 40))
def test_a_set_and_its_complement_share_the_window(rows, start, length):
    end = start + length
    rest = intervals.complement(as_set(rows), start, end)
    assert is_normal(rest)
    assert covered(rest) == set(range(start, end)) - instants(rows)


def test_nanoseconds_of_the_epoch_stay_exact():
    start = 1_700_000_000_000_000_001
    found = intervals.union([start, start + 2], [start + 1, start + 3])
    assert intervals.total(found) == 2
