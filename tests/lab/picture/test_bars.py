"""Names inside bars: in one line, in two, cut, or none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.picture.bars import Bars, in_two, letters

MS = 1_000_000


@given(st.lists(st.text("ab", min_size=1, max_size=9), min_size=1, max_size=5), st.integers(1, 20))
def test_two_lines_hold_all_the_words_and_neither_is_too_long(words: list[str], most: int) -> None:
    name = " ".join(words)
    lines = in_two(name, most)
    if lines:
        assert " ".join(lines) == name and max(map(len, lines)) <= most
    else:
        cuts = range(1, len(words))
        assert all(max(len(" ".join(words[:n])), len(" ".join(words[n:]))) > most for n in cuts)


def test_a_chinese_name_counts_twice_and_is_parted_anywhere() -> None:
    assert letters("更新状态") == 8 and letters("wait 更新") == 9
    assert in_two("更新状态", 5) == ("更新", "状态") and in_two("更新状态", 3) is None
    assert in_two("更新状态 +9", 7) is None and in_two("更新状态 +9", 8) == ("更新状态", "+9")


@pytest.mark.parametrize(
    ("gap_ms", "told"),
    [
        (40, "update state and 5 more"),
        (20, "update state<br>and 5 more"),
        (9, "update<br>state"),
        (7, "update<br>state +5"),
        (1, ""),
    ],
)
def test_the_cause_of_a_gap_stands_in_two_lines_where_one_would_be_too_long(
    gap_ms: int, told: str
) -> None:
    names = ("update state and 5 more", "update state +5", "update state")
    inside = Bars((0, 110 * MS))._inside(names, gap_ms * MS, tall=True)
    assert inside == told
