"""A class's files: graded right, all reported, one bad file stops nothing, resumable."""

import csv

import pytest

from lessons.checks import failed
from lessons.cli import main
from lessons.lesson import LessonError
from lessons.loading import lesson_named
from lessons.process import Outcome
from lessons.submissions import find_submissions

FOLDER = lesson_named("07").folder
GOOD = (FOLDER / "solution.py").read_text("utf-8")
WRONG = (FOLDER / "wrong" / "device_synchronize.py").read_text("utf-8")
DELETES = "import os, glob\nfor p in glob.glob('**', recursive=True): os.remove(p)\n"
SORTS = {
    "good": (GOOD, "yes", ""),
    "wrong": (
        (FOLDER / "wrong" / "device_synchronize.py").read_text("utf-8"),
        "no",
        "whole device",
    ),
    "nothing": ("", "no", "empty"),
    "syntax": ("def broken(:\n", "no", "cannot read line 1"),
    "deletes": (DELETES, "no", "tried to delete"),
    "endless": ("import time\nwhile True: time.sleep(1)\n", "no", "still running"),
    "hog": ("x = [bytearray(1 << 30) for _ in range(99)]\n", "no", "memory"),
}


def hand_in(root, student, source, name="07_events/exercise.py"):
    path = root / student / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source, encoding="utf-8")
    return path


def grade(root, out, *more):
    code = main(["grade", str(root), "-o", str(out), "--memory", "4000", *more])
    with out.open(encoding="utf-8", newline="") as file:
        return code, {row["student"]: row for row in csv.DictReader(file)}


def check_rows(rows, names):
    assert len(rows) == len(names)
    for student, row in rows.items():
        _, passed, told = SORTS[student.partition("-")[0]]
        assert (row["passed"], told in row["message"]) == (passed, True), row
        assert 0 <= int(row["points"]) <= int(row["most"])


def test_a_bad_file_stops_nothing_and_what_is_graded_is_not_run_again(tmp_path, monkeypatch):
    root, out = tmp_path / "class", tmp_path / "grades.csv"
    names = ["syntax", "deletes", "nothing"]
    paths = [hand_in(root, name, SORTS[name][0]) for name in names]
    code, rows = grade(root, out)
    assert code == 1 and all(path.exists() for path in paths)
    check_rows(rows, names)
    hand_in(root, "syntax", "x")
    again = []

    def checked(_lesson, path, _limits):
        again.append(path)
        return Outcome(failed("empty"))

    monkeypatch.setattr("lessons.grading.check_file", checked)
    _, regraded = grade(root, out)
    assert again == [paths[0]]
    assert regraded["deletes"] == rows["deletes"] and "empty" in regraded["syntax"]["message"]


@pytest.mark.slow
def test_a_class_of_thirty_is_graded_right(tmp_path):
    root = tmp_path / "class"
    names = [f"{sort}-{number}" for sort in SORTS for number in range(5)]
    for name in names:
        hand_in(root, name, SORTS[name.partition("-")[0]][0])
    code, rows = grade(root, tmp_path / "grades.csv", "--seconds", "25")
    assert code == 1
    check_rows(rows, names)


def test_files_tell_student_and_lesson_by_their_names(tmp_path):
    hand_in(tmp_path, "ada", "x", "07_events/exercise.py")
    hand_in(tmp_path, "ben", "x", "07.py")
    hand_in(tmp_path, "eve", "x", "notes.py")
    (tmp_path / "dan.py").write_text("x")
    named = [(s.student, s.lesson) for s in find_submissions(tmp_path, None)]
    assert named == [("ada", "07"), ("ben", "07")]
    given = {s.student for s in find_submissions(tmp_path, "07")}
    assert given == {"ada", "ben", "dan", "eve"}


def test_a_folder_without_submissions_and_a_strange_table_are_refused(tmp_path, capsys):
    with pytest.raises(LessonError, match="there is no folder"):
        list(find_submissions(tmp_path / "none", None))
    out = tmp_path / "grades.csv"
    assert main(["grade", str(tmp_path), "-o", str(out)]) == 2
    assert "has no submissions" in capsys.readouterr().err
    hand_in(tmp_path, "ada", "x")
    out.write_text("a,b\n1,2\n")
    assert main(["grade", str(tmp_path), "-o", str(out)]) == 2
    assert "no table of grades" in capsys.readouterr().err and out.read_text() == "a,b\n1,2\n"
