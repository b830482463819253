"""Gaps under copies of the same stream: cut around them, named once, and nothing else changed."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.play import LEVELS, play
from lab.picture.lod import Rects
from lab.picture.parted import parted
from lab.play.picture import position_picture
from tests.lab.picture.test_lod import layer

cuts = st.lists(st.integers(0, 60), max_size=16).map(sorted)


def apart(edges: list[int]) -> list[tuple[int, int]]:
    """Stretches that do not overlap: every second one between the edges."""
    return [(a, b) for a, b in list(pairwise(edges))[::2] if a < b]


def rects(stretches: list[tuple[int, int]]) -> Rects:
    made = layer([(start, end - start) for start, end in stretches])
    return Rects(made.start, made.end, made.dur, np.ones_like(made.dur), made.span, made.style)


@given(cuts, cuts)
def test_what_lies_free_stays_and_the_widest_part_of_each_has_its_name(lower, upper) -> None:
    gaps, copies = apart(lower), apart(upper)
    parts, named = parted(rects(gaps), rects(copies))
    free = {at for a, b in gaps for at in range(a, b)}
    free -= {at for a, b in copies for at in range(a, b)}
    drawn = [at for a, b in zip(parts.start, parts.end, strict=True) for at in range(a, b)]
    assert sorted(drawn) == sorted(free)
    for gap, (a, b) in enumerate(gaps):
        mine = [n for n in range(len(parts)) if parts.span[n] == gap]
        widest = max((parts.end[n] - parts.start[n] for n in mine), default=0)
        chosen = [parts.end[n] - parts.start[n] for n in mine if named[n]]
        assert chosen == ([widest] if free & set(range(a, b)) else [])


def test_what_stands_for_several_is_not_cut() -> None:
    gaps, copies = rects([(0, 50)]), rects([(10, 20)])
    merged = Rects(*(getattr(gaps, n) for n in ("start", "end", "busy")), gaps.busy * 0 + 3,
                   gaps.span, gaps.style)  # fmt: skip
    assert parted(merged, copies)[0] is merged
    many = Rects(copies.start, copies.end, copies.busy, copies.busy, copies.span, copies.style)
    assert parted(gaps, many)[0] is gaps


def test_the_names_of_idle_time_in_the_first_level_stand_beside_its_copies() -> None:
    figure = position_picture(play(LEVELS["one-step"], LEVELS["one-step"].solution)).figure
    bars = {trace["name"]: trace for trace in figure["data"] if trace["type"] == "bar"}
    gap, copies = bars["gap"], [bars["h2d 0"], bars["d2h 0"]]
    assert sum(map(bool, gap["text"])) == 2
    for start, wide in zip(gap["base"], gap["x"], strict=True):
        for copy in copies:
            for at, long in zip(copy["base"], copy["x"], strict=True):
                assert start + wide <= at + 1e-9 or at + long <= start + 1e-9
