"""Sets of integer time intervals: union, intersection, subtraction, complement.

A set is an int64 array of shape [n, 2], half-open [start, end), sorted, disjoint and
not touching; `union` makes one out of any intervals. Exact integers, so the parts of a
whole add up to the whole. This module knows nothing of traces.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Intervals = NDArray[np.int64]

EMPTY: Intervals = np.empty((0, 2), dtype=np.int64)


def union(starts: ArrayLike, ends: ArrayLike) -> Intervals:
    """The instants covered by at least one of the intervals [starts[i], ends[i]).

    Intervals may overlap and come in any order; empty and reversed ones cover nothing.
    """
    start = np.asarray(starts, dtype=np.int64)
    end = np.asarray(ends, dtype=np.int64)
    keep = end > start
    start, end = start[keep], end[keep]
    if not len(start):
        return EMPTY
    order = np.argsort(start, kind="stable")
    start, end = start[order], np.maximum.accumulate(end[order])
    first = np.concatenate(([True], start[1:] > end[:-1]))
    last = np.concatenate((first[1:], [True]))
    return np.column_stack((start[first], end[last]))


def total(intervals: Intervals) -> int:
    """Length of the set."""
    return int((intervals[:, 1] - intervals[:, 0]).sum())


def complement(intervals: Intervals, start: int, end: int) -> Intervals:
    """The part of [start, end) that the set does not cover."""
    edges = np.concatenate(([start], np.clip(intervals, start, end).ravel(), [end]))
    gaps = edges.reshape(-1, 2)
    return gaps[gaps[:, 1] > gaps[:, 0]]


def intersection(a: Intervals, b: Intervals) -> Intervals:
    """The instants in both sets."""
    if not len(a) or not len(b):
        return EMPTY
    # For each interval of a: the run b[low:high] of intervals that overlap it.
    low = np.searchsorted(b[:, 1], a[:, 0], side="right")
    high = np.searchsorted(b[:, 0], a[:, 1], side="left")
    counts = np.maximum(high - low, 0)
    of_a = np.repeat(np.arange(len(a)), counts)
    of_b = np.arange(counts.sum()) - np.repeat(counts.cumsum() - counts, counts) + low[of_a]
    return np.column_stack((np.maximum(a[of_a, 0], b[of_b, 0]), np.minimum(a[of_a, 1], b[of_b, 1])))


def subtraction(a: Intervals, b: Intervals) -> Intervals:
    """The instants in `a` but not in `b`."""
    if not len(a):
        return EMPTY
    return intersection(a, complement(b, int(a[0, 0]), int(a[-1, 1])))
