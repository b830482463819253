"""Self time of a host thread against brute force on single instants."""

from hypothesis import given
from hypothesis import strategies as st

from traces.schema import NONE, Trace
from traces.self_time import self_time


@st.composite
def nested(draw, start=0, end=30, depth=3):
    """Properly nested spans of one thread as (start, end)."""
    if depth == 0 or end - start < 2:
        return []
    cuts = sorted(draw(st.lists(st.integers(start, end), max_size=4)))
    spans = []
    for a, b in zip(cuts[::2], cuts[1::2], strict=False):
        spans += [(a, b), *draw(nested(start=a, end=b, depth=depth - 1))]
    return spans


def timeline_of(spans):
    trace = Trace.from_rows([{"ts_ns": a, "dur_ns": b - a} for a, b in spans])
    return self_time(trace.spans), trace.spans


@given(nested(), st.integers(-3, 30), st.integers(1, 30))
def test_every_instant_belongs_to_the_innermost_open_span(spans, start, length):
    timeline, rows = timeline_of(spans)
    owners = {}
    for a, b, span_id in timeline.between(start, start + length):
        owners |= dict.fromkeys(range(a, b), span_id)
    assert sorted(owners) == list(range(start, start + length))
    ends = rows["ts_ns"] + rows["dur_ns"]
    for instant, owner in owners.items():
        is_open = (rows["ts_ns"] <= instant) & (instant < ends)
        innermost = rows["dur_ns"][is_open].min() if is_open.any() else NONE
        assert innermost == (rows["dur_ns"][owner] if owner != NONE else NONE)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=8))
def test_spans_that_overlap_badly_still_cover_each_instant_once(pairs):
    timeline, _ = timeline_of([(min(p), max(p)) for p in pairs])
    segments = list(timeline.between(0, 25))
    assert segments[0].start_ns == 0
    assert segments[-1].end_ns == 25
    assert all(a.end_ns == b.start_ns for a, b in zip(segments, segments[1:], strict=False))
