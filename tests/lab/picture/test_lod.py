"""Level of detail: nothing is lost, nothing is made up, and there is little to draw."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lab.picture.lod import MAX_RECTS, MIN_PX, Layer, reduce_layers

WINDOW = (0, 1_000_000)


def layer(spans: list[tuple[int, int]]) -> Layer:
    """A layer of (start, duration) pairs."""
    table = np.array(sorted(spans), dtype=np.int64).reshape(-1, 2)
    number = np.arange(len(table))
    return Layer(table[:, 0], table[:, 1], number % 3, number)


spans = st.lists(
    st.tuples(st.integers(-200_000, 1_200_000), st.integers(0, 60_000)), min_size=1, max_size=60
)
windows = st.tuples(st.integers(0, 400_000), st.integers(1, 600_000)).map(
    lambda pair: (pair[0], pair[0] + pair[1])
)


def inside(pairs: list[tuple[int, int]], window: tuple[int, int]) -> list[int]:
    """Length of each span's part inside the window; 0 for an instant inside."""
    low, high = window
    return [
        max(0, min(start + dur, high) - max(start, low))
        for start, dur in pairs
        if start < high and (start + dur > low or (dur == 0 and start >= low))
    ]


@given(spans, windows, st.integers(10, 2000))
def test_busy_time_and_number_of_spans_are_the_same_at_every_level(pairs, window, px) -> None:
    (rects,) = reduce_layers([layer(pairs)], window, px)
    cut = inside(pairs, window)
    assert int(rects.busy.sum()) == sum(cut)
    assert int(rects.count.sum()) == len(cut)


@given(spans, windows, st.integers(10, 2000))
def test_rectangles_lie_in_the_window_in_order_and_are_never_more_than_full(
    pairs, window, px
) -> None:
    (rects,) = reduce_layers([layer(pairs)], window, px)
    assert (rects.start >= window[0]).all() and (rects.end <= window[1]).all()
    assert (np.diff(rects.start) >= 0).all()
    assert (rects.share >= 0).all() and (rects.share <= 1).all()


@given(spans, st.integers(10, 2000))
def test_a_span_that_can_be_seen_keeps_its_own_rectangle(pairs, px) -> None:
    (rects,) = reduce_layers([layer(pairs)], WINDOW, px)
    min_ns = MIN_PX * max(1.0, (WINDOW[1] - WINDOW[0]) / px)
    wide = sorted(length for length in inside(pairs, WINDOW) if length >= min_ns)
    alone = rects.busy[(rects.count == 1) & (rects.busy >= min_ns)]
    assert sorted(alone.tolist()) == wide


def test_merged_spans_show_their_share_and_the_style_of_the_longest() -> None:
    comb = layer([(start, 100) for start in range(0, 1000, 200)] + [(1000, 150)])
    (rects,) = reduce_layers([comb], (0, 1_000_000), 500)
    assert len(rects) == 1
    assert rects.count[0] == 6
    assert rects.busy[0] == 650
    assert rects.share[0] == 650 / 1150
    assert rects.span[0] == 5


def test_a_million_spans_become_few_rectangles() -> None:
    count = 1_000_000
    start = np.arange(count, dtype=np.int64) * 1000
    dur = np.full(count, 790, dtype=np.int64)
    lanes = [Layer(start, dur, np.zeros(count, dtype=np.int64), np.arange(count))] * 5
    rects = reduce_layers(lanes, (0, count * 1000))
    assert sum(map(len, rects)) <= MAX_RECTS
    assert abs(rects[0].share.mean() - 0.79) < 0.01


def test_an_empty_lane_and_an_empty_window_draw_nothing() -> None:
    empty, far = layer([]), layer([(5_000_000, 10)])
    assert [len(rects) for rects in reduce_layers([empty, far], WINDOW)] == [0, 0]
