"""`python -m lessons`: what a student sees of it."""

import json

import pytest

from lessons import cli
from lessons.checks import Check, Verdict
from lessons.cli import main
from lessons.lesson import GROUP_NAMES, GROUPS
from lessons.loading import lesson_named, lessons, text_of
from lessons.process import Outcome


@pytest.fixture
def judged(monkeypatch):
    """Checks without a process: `judged.outcome` is what comes of them."""

    class Judged:
        outcome = Outcome(Verdict([Check("no_gap", True)]))

    monkeypatch.setattr(cli, "check_file", lambda *_: Judged.outcome)
    return Judged


def test_every_lesson_is_listed_with_its_minutes_under_its_group(capsys):
    assert main(["list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["id"] for row in rows] == list(lessons())
    assert main(["list", "--lang", "zh"]) == 0
    shown = capsys.readouterr().out
    assert text_of(lesson_named("07"), "zh").title in shown and "min" not in shown
    heads = [line for line in shown.splitlines() if not line.startswith("  ")]
    assert heads == [GROUP_NAMES[group].zh for group in GROUPS]


def test_start_copies_the_exercise_and_never_over_work_that_is_there(tmp_path, capsys):
    arguments = ["start", "7", "--dir", str(tmp_path)]
    assert main(arguments) == 0
    (path,) = tmp_path.rglob("exercise.py")
    assert path.read_bytes() == (lesson_named("07").folder / "exercise.py").read_bytes()
    path.write_text("mine")
    assert main(arguments) == 0
    assert path.read_text() == "mine" and "stays as it is" in capsys.readouterr().out


def test_check_says_public_checks_passed_and_exits_with_0(tmp_path, capsys, judged):
    main(["start", "07", "--dir", str(tmp_path)])
    assert main(["check", "07", "--dir", str(tmp_path)]) == 0
    assert "public checks passed" in capsys.readouterr().out


def test_a_failing_check_exits_with_1_and_leaves_a_trace_and_hints_in_steps(
    tmp_path, capsys, judged
):
    judged.outcome = Outcome(Verdict([Check("no_gap", False, "gap")]), b"trace")
    main(["start", "07", "--dir", str(tmp_path)])
    capsys.readouterr()
    seen = []
    for _ in range(4):
        assert main(["check", "07", "--dir", str(tmp_path), "--hint", "--json"]) == 1
        seen.append(json.loads(capsys.readouterr().out))
    assert [values["hint"][:3] for values in seen] == ["1/3", "2/3", "3/3", "3/3"]
    assert seen[0]["points"] == 0 and "idle" in seen[0]["checks"][0]["message"]
    (trace,) = tmp_path.rglob("failing-run.json.gz")
    assert trace.read_bytes() == b"trace" and seen[0]["trace"] == str(trace)
    judged.outcome = Outcome(Verdict([Check("no_gap", True)]))
    main(["check", "07", "--dir", str(tmp_path)])
    assert not trace.exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["check", "98"], "there is no lesson '98'"),
        (["check", "07", "--dir", "nowhere"], "begin with python -m lessons start 07"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, told, capsys):
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert told in error and len(error.splitlines()) == 1
