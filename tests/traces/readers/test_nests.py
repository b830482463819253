"""Marks paired as columns are paired as one after the other."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from traces.readers.nests import Mark, Nests
from traces.readers.pairing import Pairing
from traces.schema import NONE

END_NS = 100

names = st.integers(0, 2)
marks = st.tuples(st.integers(0, 1), st.one_of(st.just(None), names), st.integers(0, 9))


def paired(marks):
    """The beginnings with the end of each, and the counts, by nests and by pairing."""
    nests, pairing = Nests(), Pairing()
    rows = np.arange(len(marks))
    begins = np.array([begin for begin, *_ in marks], dtype=bool)
    nest, name, ts = (
        np.array([NONE if mark[at] is None else mark[at] for mark in marks], dtype=np.int64)
        for at in (1, 2, 3)
    )
    half = len(marks) // 2
    for part in (slice(half), slice(half, None)):
        nests.add(nest[part], name[part], ts[part], np.where(begins, rows, NONE)[part])
    for row, (begin, key, called, at) in enumerate(marks):
        pairing.add(key, at, begin, Mark(called, row))
    ours = sorted(zip(*(column.tolist() for column in nests.ends(END_NS)), strict=True))
    theirs = sorted((span.event.row, span.end_ns) for span in pairing.spans(END_NS))
    return (ours, nests.stray_ends, nests.unclosed), (theirs, pairing.stray_ends, pairing.unclosed)


@given(st.lists(st.tuples(st.booleans(), marks), max_size=12))
def test_marks_of_any_kind_pair_as_one_by_one(drawn):
    found = [(begin, nest, 0 if begin and name is None else name, ts)
             for begin, (nest, name, ts) in drawn]  # fmt: skip
    in_columns, one_by_one = paired(found)
    assert in_columns == one_by_one


@given(st.lists(st.booleans(), max_size=30), st.integers(0, 4))
def test_ends_in_order_pair_as_one_by_one(choices, unclosed):
    """As programs write them: an end closes what is innermost, with its name or without one."""
    found, stack = [], []
    for at, opens in enumerate(choices):
        if opens or not stack:
            stack.append(at % 3)
            found.append((True, at % 2, stack[-1], at))
        else:
            name = stack.pop()
            found.append((False, 0, name if at % 2 else None, at))
    found = [(begin, 0, name, ts) for begin, _, name, ts in found[: len(found) - unclosed]]
    in_columns, one_by_one = paired(found)
    assert in_columns == one_by_one
    assert in_columns[1] == 0
