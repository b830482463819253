"""Zooming: a dragged box becomes the window, and there is a way back."""

from typing import Any

import pytest

from lab.picture.window import WindowKeys, box_of, forget, go_back, push_window, window_of

KEYS = WindowKeys("t0", "t1", "chart")
EXTENT, DEFAULT = (0, 10_000_000), (0, 1_000_000)


def event(*ends: float) -> dict[str, Any]:
    return {"selection": {"box": [{"x": list(ends), "y": [0, 1]}], "points": []}}


def test_a_box_is_a_window_whichever_way_it_was_dragged() -> None:
    assert box_of(event(2.5, 1.5)) == (1_500_000, 2_500_000)


@pytest.mark.parametrize(
    "selection", [None, {}, {"selection": {"box": []}}, event(1.0), event(1.0, 1.0000001)]
)
def test_no_box_or_a_slip_of_the_mouse_is_no_window(selection) -> None:
    assert box_of(selection) is None


def test_windows_are_pushed_and_popped() -> None:
    state: dict[Any, Any] = {}
    push_window(state, KEYS, (1_000_000, 2_000_000))
    push_window(state, KEYS, (1_200_000, 1_300_000))
    assert window_of(state, KEYS, EXTENT, DEFAULT) == (1_200_000, 1_300_000)
    go_back(state, KEYS)
    assert window_of(state, KEYS, EXTENT, DEFAULT) == (1_000_000, 2_000_000)
    go_back(state, KEYS)
    go_back(state, KEYS)
    assert window_of(state, KEYS, EXTENT, DEFAULT) == DEFAULT


def test_reset_forgets_the_way_back() -> None:
    state: dict[Any, Any] = {}
    push_window(state, KEYS, (1_000_000, 2_000_000))
    forget(state, KEYS)
    assert window_of(state, KEYS, EXTENT, DEFAULT) == DEFAULT
    assert state[KEYS.history] == []


@pytest.mark.parametrize(
    ("start", "end", "window"),
    [
        (None, 2.0, DEFAULT),
        (2.0, 1.0, DEFAULT),
        (50.0, 60.0, DEFAULT),
        (-5.0, 2.0, (0, 2_000_000)),
        (9.0, 99.0, (9_000_000, 10_000_000)),
    ],
)
def test_typed_windows_are_cut_to_the_run(start, end, window) -> None:
    assert window_of({"t0": start, "t1": end}, KEYS, EXTENT, DEFAULT) == window
