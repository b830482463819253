"""Presses of keys and buttons: each is acted upon once, and in its order."""

from functools import partial
from threading import Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.play.buttons import buttons_of
from lab.play.state import Game
from lab.presses import MOST, Button, Presses, browser_key, told
from tests.lab.apps import open_page

events = st.lists(st.sampled_from(["press a", "press b", "run", "draw"]), max_size=40)


def value(presses: Presses, *waiting: tuple[int, str]) -> dict[str, Any]:
    """What the component tells."""
    return {"told": {"session": presses.session, "presses": [list(entry) for entry in waiting]}}


def noting(notes: list[str]) -> dict[str, Button]:
    return {name: Button(name, name, partial(notes.append, name)) for name in "ab"}


@given(events)
def test_whatever_a_busy_server_sees_of_it_each_press_counts_once_and_in_its_order(happens) -> None:
    """The server runs at any time and sees what is told last; its answer is drawn at any time."""
    presses, acted, pressed = Presses(), [], []
    waiting: list[tuple[int, str]] = []
    for event in [*happens, "run"]:
        if event == "run":
            presses.act(value(presses, *waiting), noting(acted))
            assert acted == pressed
        elif event == "draw":
            waiting = [entry for entry in waiting if entry[0] > presses.taken]
        else:
            pressed.append(event[-1])
            waiting.append((len(pressed), event[-1]))


def test_a_run_that_ends_while_it_acts_leaves_the_press_to_the_next() -> None:
    presses, notes = Presses(), []

    def ended() -> None:
        notes.append("ended")
        raise SystemExit  # no Exception, as what Streamlit raises to end a run

    buttons = noting(notes)
    with pytest.raises(SystemExit):
        presses.act(value(presses, (1, "a"), (2, "b")), buttons | {"b": Button("b", "b", ended)})
    presses.act(value(presses, (1, "a"), (2, "b"), (3, "nothing")), buttons)
    assert notes == ["a", "ended", "b"] and presses.taken == 3


def test_a_press_that_fails_is_not_tried_again() -> None:
    presses, notes = Presses(), []

    def failed() -> None:
        raise ZeroDivisionError

    buttons = noting(notes)
    with pytest.raises(ZeroDivisionError):
        presses.act(value(presses, (1, "b")), buttons | {"b": Button("b", "b", failed)})
    presses.act(value(presses, (1, "b"), (2, "a")), buttons)
    assert notes == ["a"] and presses.taken == 2


def test_runs_that_overlap_do_not_lose_what_was_pressed_between_them() -> None:
    game = Game("two-slots")
    buttons = {button.key: button for button in buttons_of(game).values()}
    program = "wh14k25d3xwh14k25d3"
    entries = [(number, f"host-{key}") for number, key in enumerate(program, 1)]

    def run(count: int) -> None:
        game.presses.act(value(game.presses, *entries[:count]), buttons)
        game.position()

    runs = [Thread(target=run, args=(count,)) for count in range(1, len(entries) + 1)]
    for thread in runs:
        thread.start()
    for thread in runs:
        thread.join()
    assert game.moves == program


@pytest.mark.parametrize(
    "found",
    [None, {}, {"told": None}, {"told": {}}, {"told": {"session": "x", "presses": [[1, "a"]]}},
     {"told": {"session": "s", "presses": "a"}},
     {"told": {"session": "s", "presses": ["a", [1], ["1", "a"], [1, 2], [True, "a"]]}}],
)  # fmt: skip
def test_what_tells_of_no_press_of_this_session_is_none(found) -> None:
    assert told(found, "s") == []


def test_endless_presses_are_cut() -> None:
    presses = Presses("s")
    assert len(told(value(presses, *[(n, "a") for n in range(MOST + 9)]), "s")) == MOST


def test_keys_are_called_as_browsers_call_them() -> None:
    assert [browser_key(key) for key in ("W", "Backspace", "Space", "Shift+Left")] == [
        "w", "backspace", " ", "shift+arrowleft",
    ]  # fmt: skip


@pytest.mark.parametrize("page", ["host", "stepper"])
def test_a_page_tells_its_component_every_key_and_what_was_taken(page: str) -> None:
    app = open_page(f"lab/pages/{page}.py", steps="8")
    (data,) = [c.proto for c in app.get("bidi_component") if "taken" in c.proto.json]
    assert '"taken": 0' in data.json or '"taken":0' in data.json
    shortcuts = {browser_key(b.proto.shortcut) for b in app.button if b.proto.shortcut}
    assert shortcuts and all(f'"{key}"' in data.json for key in shortcuts)


def test_what_is_pressed_after_something_impossible_finds_it_left_out() -> None:
    game = Game("one-step")
    buttons = buttons_of(game)
    for name in ("w", "w", "undo", "h"):  # there is one batch: the second w is not possible
        buttons[name].act()
    assert game.position().moves == "" and "written by the host first" in game.refused


def test_a_level_solved_by_quick_keys_counts_before_the_next_is_gone_to() -> None:
    game = Game("one-step")
    buttons = buttons_of(game)
    for name in (*"whkdvg", "next", "w"):
        buttons[name].act()
    assert game.position().moves == "w"
    assert game.solved == {"one-step"} and game.programs["one-step"] == "whkdvg"
