"""What the canvas asks for: taken over once, whatever a browser sends."""

from typing import Any

import pytest

from lab.inspect.canvas import answer, ask_of, plot_px
from lab.picture.lod import PLOT_PX
from lab.picture.window import WindowKeys, go_back, window_of

KEYS = WindowKeys("w0", "w1", "inspect")
EXTENT = (5_000_000, 105_000_000)


def state(**ask: Any) -> dict[Any, Any]:
    return {"canvas": {"ask": {"n": 1, "start": 0, "end": 9_000_000, "span": -1, "px": 900} | ask}}


def take(asked: dict[Any, Any], default: tuple[int, int] = EXTENT) -> list[int]:
    """Answer; the spans that were to be selected."""
    spans: list[int] = []
    answer(asked, "canvas", KEYS, EXTENT, default, spans.append)
    return spans


def test_an_ask_becomes_the_window_on_the_traces_own_clock() -> None:
    asked = state(start=1_000_000, end=3_000_000, span=7)
    assert take(asked) == [7]
    assert window_of(asked, KEYS, EXTENT, EXTENT) == (6_000_000, 8_000_000)
    assert plot_px(asked, "canvas") == 900
    go_back(asked, KEYS)
    assert window_of(asked, KEYS, EXTENT, EXTENT) == EXTENT


def test_an_ask_is_answered_once_and_a_later_click_stays() -> None:
    asked = state()
    assert take(asked)
    asked["w0"], asked["w1"] = 50.0, 60.0  # a jump to a gap
    assert not take(asked)
    assert window_of(asked, KEYS, EXTENT, EXTENT) == (50_000_000, 60_000_000)
    asked["canvas"] = state(n=2)["canvas"]
    assert take(asked)


def test_a_run_that_ends_before_it_has_noted_the_answer_gives_it_again() -> None:
    asked = state(span=7)

    def interrupted(_: int) -> None:
        raise InterruptedError

    for _ in range(2):
        with pytest.raises(InterruptedError):
            answer(asked, "canvas", KEYS, EXTENT, EXTENT, interrupted)
        asked["w0"] = asked["w1"] = None  # what the browser still had
    assert take(asked) == [7]
    assert window_of(asked, KEYS, EXTENT, EXTENT) == (5_000_000, 14_000_000)
    assert asked[KEYS.history] == [(None, None)]


@pytest.mark.parametrize(
    "value",
    [None, {}, {"ask": None}, {"ask": {"n": 1}}, state(start="0")["canvas"],
     state(px=None)["canvas"], state(start=1.5)["canvas"]],
)  # fmt: skip
def test_what_is_no_ask_is_none(value) -> None:
    assert ask_of(value) is None
    assert plot_px({"canvas": value}, "canvas") == PLOT_PX


def test_a_drawing_is_neither_endlessly_wide_nor_nothing() -> None:
    widths = [ask_of(state(px=px)["canvas"]).plot_px for px in (-5, 10**9)]
    assert widths == [100, 4000]


def test_a_window_beyond_the_trace_is_cut() -> None:
    asked = state(start=-5_000_000, end=900_000_000)
    take(asked, (6_000_000, 9_000_000))
    assert window_of(asked, KEYS, EXTENT, (0, 1)) == EXTENT


@pytest.mark.parametrize("ask", [{"end": 100_000_000}, {"end": 5}, {"start": 9, "end": 3}])
def test_what_is_shown_already_or_no_window_leaves_no_way_back(ask) -> None:
    asked = state(**ask)
    assert take(asked) == [-1]
    assert "w0" not in asked and KEYS.history not in asked
