"""Marks paired as columns are paired as one after the other."""

import io
import json
import re

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from traces.readers.nests import Mark, Nests
from traces.readers.pairing import Pairing
from traces.readers.reader import open_trace
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


EPOCH_NS = 1_700_000_000_000_000_000
"""A clock that counts from 1970: a float64 has no room for its nanoseconds."""

edges = st.tuples(
    st.sampled_from("BEbeX"), st.sampled_from(["", "f", "g"]), st.integers(0, 40), st.integers(1, 2)
)


def spans_of(drawn, shift_ns):
    """The spans of a Chrome trace of these events, the clock shifted, from the first of them on."""
    events = [
        {
            "ph": ph, "name": name, "pid": 1, "tid": tid, "id": tid, "cat": "c",
            "ts": f"{(shift_ns + ns) // 1000}.{(shift_ns + ns) % 1000:03}", "dur": 0.007,
        }
        for ph, name, ns, tid in drawn
    ]  # fmt: skip
    text = re.sub(r'"ts": "([0-9.]+)"', r'"ts": \1', json.dumps({"traceEvents": events}))
    spans = open_trace(io.BytesIO(text.encode()), "clock.json").spans
    begins = spans["ts_ns"] - spans["ts_ns"].min()
    return begins.tolist(), spans["dur_ns"].tolist(), spans["name"].tolist()


@settings(max_examples=15)
@given(st.lists(edges, min_size=1, max_size=12))
def test_spans_keep_their_times_on_a_clock_that_counts_from_1970(drawn):
    drawn = [("X", "x", 50, 1), *drawn]
    assert spans_of(drawn, EPOCH_NS) == spans_of(drawn, 0)
