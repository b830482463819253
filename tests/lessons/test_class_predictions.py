"""A class's predictions: every one is counted once, and the right answer is marked."""

import csv
import json
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.class_predictions import MOST_BINS, count_right, histogram, predictions
from lessons.cli import main
from lessons.loading import lesson_named
from lessons.progress import Done, dumped

NUMBER, CHOICE = lesson_named("03"), lesson_named("02")


numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(numbers), st.floats(-1e6, 1e6))
def test_every_number_is_in_one_bin_and_the_runs_own_is_marked(answers, right):
    with patch("lessons.class_predictions.truth", return_value=right):
        bars, more = (histogram(NUMBER, given, "en") for given in (answers, [*answers, right]))
    assert sum(bar.count for bar in bars) == len(answers) and len(bars) <= MOST_BINS + 2
    (home,) = (n for n, bar in enumerate(bars) if bar.right)
    assert more[home].count == bars[home].count + 1
    assert len({bar.label for bar in bars}) == len(bars)


def test_choices_have_a_bar_each_and_what_is_no_answer_is_left_out():
    progress = [{"02": Done(predicted=p)} for p in (0, 0, 2, 7, None)] + [{"03": Done()}]
    given = predictions(CHOICE, progress)
    bars = histogram(CHOICE, given, "zh")
    assert [bar.count for bar in bars] == [2, 0, 1]
    assert [bar.right for bar in bars] == [True, False, False] and count_right(CHOICE, given) == 2


def test_right_is_what_lies_within_the_tolerance_not_what_shares_the_bin():
    near = [24.0 + part * NUMBER.predict.tolerance for part in (0, 0.9, 1.1)]
    with patch("lessons.prediction.truth", return_value=24.0):
        assert count_right(NUMBER, near) == 2


@pytest.fixture
def collected(tmp_path):
    root = tmp_path / "class"
    root.mkdir()
    for number, predicted in enumerate((0.0, 0.0, 2.0)):
        text = dumped({"02": Done(predicted=predicted)})
        (root / f"{number}.json").write_text(text, encoding="utf-8")
    (root / "bad.json").write_text("no json", encoding="utf-8")
    return root


def test_the_command_shows_and_writes_the_table_and_names_bad_files(collected, capsys):
    for suffix in ("csv", "json"):
        out = collected.parent / f"out.{suffix}"
        assert main(["predictions", str(collected), "2", "-o", str(out)]) == 0
    shown = capsys.readouterr()
    assert "3 predictions, 2 right; the run says 76" in shown.out and "bad.json" in shown.err
    assert [line[:7] for line in shown.out.splitlines()[1:4]] == ["->    2", "      0", "      1"]
    lines = (collected.parent / "out.csv").read_text("utf-8-sig").splitlines()
    rows = list(csv.DictReader(lines))
    values = json.loads((collected.parent / "out.json").read_text("utf-8"))
    assert [int(row["count"]) for row in rows] == [bar["count"] for bar in values["bars"]]
    assert [row["right"] for row in rows] == ["yes", "no", "no"] and values["right"] == 2


@pytest.mark.parametrize(
    ("folder", "lesson", "out", "told"),
    [
        ("nowhere", "07", "a.csv", "there is no folder"),
        ("class", "98", "a.csv", "there is no lesson '98'"),
        ("class", "02", "a.txt", "must end with .csv or .json"),
        (".", "02", "a.csv", "has no files of progress"),
    ],
)
def test_what_cannot_be_counted_is_told_in_one_line(collected, folder, lesson, out, told, capsys):
    root = collected.parent
    assert main(["predictions", str(root / folder), lesson, "-o", str(root / out)]) == 2
    error = capsys.readouterr().err.splitlines()
    assert told in error[-1]
