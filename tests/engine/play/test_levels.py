"""Every level can be won, and is lost in the ways that it teaches about.

pytest tests/engine/play/test_levels.py
"""

import pytest

from engine.play import LEVELS, play
from engine.play.level import LevelError, read_level
from engine.play.verdict import Standing, judge

ATTEMPTS = [
    pytest.param(level, attempt, id=f"{name} {number}")
    for name, level in LEVELS.items()
    for number, attempt in enumerate(level.wrong)
]


def refused(position):
    return [(step.key, step.refused) for step in position.steps if step.refused]


@pytest.mark.parametrize("level", LEVELS.values(), ids=list(LEVELS))
def test_the_reference_solution_wins(level):
    position = play(level, level.solution)
    assert refused(position) == []
    assert (position.verdict.state, position.verdict.reasons) == ("won", ())
    assert len(level.wrong) >= 3


@pytest.mark.parametrize(("level", "attempt"), ATTEMPTS)
def test_a_plausible_attempt_loses_for_the_reason_that_is_given(level, attempt):
    position = play(level, attempt.moves)
    assert refused(position) == []
    assert (position.verdict.state, position.verdict.reasons) == ("lost", attempt.reasons)


@pytest.mark.parametrize("level", LEVELS.values(), ids=list(LEVELS))
def test_nothing_is_decided_before_the_first_operation(level):
    assert play(level, "").verdict.state == "open"


def test_each_level_teaches_something_else():
    assert len(LEVELS) >= 12
    for field in ("title", "teaches", "goal_text", "win", "story"):
        assert len({getattr(level, field) for level in LEVELS.values()}) >= len(LEVELS) - 2
    assert all(all(level.hints) and level.win for level in LEVELS.values())


def text(**changes: str) -> str:
    """A level's file with some lines changed; "" leaves a line out."""
    lines = {
        "title": '"t"', "mechanism": '"depth"', "teaches": '"t"', "story": '"s"',
        "goal_text": '"g"', "win": '"w"', "hints": '["a", "b", "c"]', "allowed": '"wh"',
        "solution": '"w"', "wrong": "[]",
    }  # fmt: skip
    return "\n".join(f"{key} = {value}" for key, value in (lines | changes).items() if value)


def test_a_level_is_read_from_its_file():
    level = read_level(text(story='"""\nA\n"""', goal="{ hazards = 'any', wrong = 2 }"), "tried")
    assert (level.id, level.story, level.goal.hazards, level.goal.wrong) == ("tried", "A", None, 2)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"title": ""}, "cannot be read"),
        ({"wrong": ""}, "cannot be read"),
        ({"title": "nonsense"}, "cannot be read"),
        ({"colour": "3"}, "cannot be read"),
        ({"allowed": '"w?"'}, "no operation '?'"),
        ({"mechanism": '"magic"'}, "no mechanism 'magic'"),
        ({"shared": '["kv"]'}, "shared must be"),
        ({"times": "{ tea = 3.0 }"}, "times must be"),
        ({"batches": "[4]"}, "groups are 0 to 3"),
        ({"batches": "[0, 0, 0, 0, 0]"}, "served 4 times at most"),
        ({"hints": '["a"]'}, "three hints"),
    ],
)
def test_a_level_that_cannot_be_played_is_refused_in_one_sentence(changes, says):
    with pytest.raises(LevelError, match="level tried") as error:
        read_level(text(**changes), "tried")
    assert says in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("goal", "standing", "verdict"),
    [
        ("{}", (False, (), 0, 0.0, 0), "open"),
        ("{}", (True, (), 0, 50.0, 9), "won"),
        ("{}", (False, ("RAW x",), 0, 0.0, 0), "lost hazard RAW x"),
        ("{}", (False, (), 1, 0.0, 0), "lost token"),
        ("{ hazards = 'any' }", (True, ("RAW x",), 0, 0.0, 0), "won"),
        ("{ hazards = ['RAW x'] }", (True, (), 0, 0.0, 0), "lost no hazard RAW x"),
        ("{ hazards = ['RAW x'] }", (False, (), 0, 0.0, 0), "open"),
        ("{ wrong = 2 }", (True, (), 1, 0.0, 0), "lost right"),
        ("{ wrong = 2 }", (True, (), 2, 0.0, 0), "won"),
        ("{ idle_percent = 2 }", (False, (), 0, 3.0, 0), "open"),
        ("{ idle_percent = 2 }", (True, (), 0, 3.0, 0), "lost gap"),
        ("{ waits = 2 }", (False, (), 0, 0.0, 3), "lost waits"),
    ],
)
def test_a_goal_is_held_against_how_things_stand(goal, standing, verdict):
    found = judge(read_level(text(goal=goal), "tried").goal, Standing(*standing))
    assert " ".join((found.state, *found.reasons)) == verdict
