"""A class's files: graded right, all reported, one bad file stops nothing, resumable."""

import csv
import os
import sys

import pytest

from lessons.checks import failed
from lessons.class_predictions import collect
from lessons.cli import main
from lessons.judging import judge, why_not_readable
from lessons.lesson import LessonError
from lessons.loading import lesson_named
from lessons.prediction import right_choice
from lessons.process import Outcome
from lessons.progress import Done, dumped
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
    "marked": ("\ufeff" + GOOD, "yes", ""),
    "tensors": ("import torch\nx = [torch.ones(1 << 28) for _ in range(99)]\n", "no", "memory"),
    "hog": ("x = [bytearray(1 << 30) for _ in range(99)]\n", "no", "memory"),
}


def hand_in(root, student, source, name="07_events/exercise.py"):
    path = root / student / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source, encoding="utf-8")
    return path


def grade(root, out, *more):
    code = main(["grade", str(root), "-o", str(out), "--memory", "4000", *more])
    with out.open(encoding="utf-8-sig", newline="") as file:
        return code, {row["student"]: row for row in csv.DictReader(file)}


def check_rows(rows, names):
    assert len(rows) == len(names)
    for student, row in rows.items():
        _, passed, told = SORTS[student.partition("-")[0]]
        assert (row["passed"], told in row["message"]) == (passed, True), row
        assert 0 <= int(row["points"]) <= int(row["most"])


def test_a_learners_own_work_folder_is_the_work_of_one_student(tmp_path):
    root = tmp_path / "course-work"
    hand_in(root, "07_events", GOOD, "exercise.py")
    hand_in(root, "07_events", GOOD, "ada.py")
    (root / "08_four_points").mkdir()
    found = {one.file: one for one in find_submissions(root, None)}
    own = found["07_events/exercise.py"]
    assert (own.student, own.lesson, own.fault) == ("course-work", "07", None)
    assert "whose it is" in str(found["07_events/ada.py"].fault)
    assert "no files" in str(found["08_four_points"].fault)
    assert len(found) == 3


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


ODD_NAMES = {
    b"m\xfcller": "m\\udcfcller",  # no UTF-8: an archive from elsewhere
    b"=1+1": "'=1+1",
    b"@SUM(1)": "'@SUM(1)",
    b"+a": "'+a",
    b"a\nb": "a\\nb",
    "刘".encode(): "刘",
}
"""Names of students as bytes of a file system, and as the table has them."""


@pytest.mark.skipif(sys.platform != "linux", reason="file names of any bytes")
def test_whatever_a_file_is_called_all_are_graded_and_a_spreadsheet_computes_nothing(tmp_path):
    root, out = tmp_path / "class", tmp_path / "grades.csv"
    root.mkdir()
    for name in ODD_NAMES:
        (root / os.fsdecode(name + b".json")).write_text("no progress")
        (root / os.fsdecode(name + b" too")).mkdir()
    code, rows = grade(root, out)
    assert code == 1
    assert set(rows) == {row + more for row in ODD_NAMES.values() for more in ("", " too")}
    assert all(row["file"] in (name, f"{name}.json") for name, row in rows.items())
    assert "no files" in rows["刘 too"]["message"] and "progress" in rows["刘"]["message"]
    before = out.read_text("utf-8-sig")
    grade(root, out)
    assert sorted(before.splitlines()) == sorted(out.read_text("utf-8-sig").splitlines())


@pytest.mark.slow
def test_a_class_of_thirty_is_graded_right(tmp_path, capsys):
    """Files of code of every sort, files of progress beside them, and folders with neither."""
    root = tmp_path / "class"
    names = [f"{sort}-{number}" for sort in SORTS for number in range(3)]
    for name in names:
        hand_in(root, name, SORTS[name.partition("-")[0]][0])
    lesson = lesson_named("02")
    right = {question.id: question.answer for question in lesson.question}
    progress = {"02": Done(predicted=float(right_choice(lesson)), answers=right)}
    hand_in(root, "good-0", dumped(progress), "overlap-lab-progress.json")
    hand_in(root, "", dumped({"02": Done(answers=right)}), "cleo-overlap-lab-progress.json")
    hand_in(root, "dora", dumped({}), "overlap-lab-progress.json")
    hand_in(root, "emil", "{", "overlap-lab-progress.json")
    hand_in(root, "fritz", "see my mail", "answers.txt")
    hand_in(root, "__MACOSX", "x", "._overlap-lab-progress.json")
    out = tmp_path / "grades.csv"
    assert main(["grade", str(root), "-o", str(out), "--memory", "4000", "--seconds", "25"]) == 1
    assert f"{len(names) + 5} rows, 8 passed" in capsys.readouterr().out
    with out.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    check_rows({row["student"]: row for row in rows if row["kind"] == "code"}, names)
    others = {row["student"]: row for row in rows if row["kind"] != "code"}
    assert others.keys() == {"good-0", "cleo", "dora", "emil", "fritz"}
    assert (others["good-0"]["prediction"], others["good-0"]["passed"]) == ("right", "yes")
    assert (others["cleo"]["prediction"], others["cleo"]["passed"]) == ("", "yes")
    told = {"dora": "nothing was begun", "emil": "no progress", "fritz": "answers.txt"}
    assert [name for name, part in told.items() if part not in others[name]["message"]] == []


def test_files_tell_student_and_lesson_by_their_names(tmp_path):
    hand_in(tmp_path, "ada", "x", "07_events/exercise.py")
    hand_in(tmp_path, "ben", "x", "07.py")
    hand_in(tmp_path, "eve", "x", "notes.py")
    (tmp_path / "dan.py").write_text("x")
    hand_in(tmp_path, "kim", "x", "work.zip")
    hand_in(tmp_path, "__MACOSX", "x", "ada/._07.py")
    named = [(s.student, s.lesson, s.fault is None) for s in find_submissions(tmp_path, None)]
    good = [("ada", "07", True), ("ben", "07", True)]
    assert named == [*good, ("dan", "", False), ("eve", "", False), ("kim", "", False)]
    given = {s.student: s.fault is None for s in find_submissions(tmp_path, "07")}
    assert given == {"ada": True, "ben": True, "dan": True, "eve": True, "kim": False}


def test_a_link_is_followed_nowhere_and_has_a_row_that_says_so(tmp_path):
    root, elsewhere = tmp_path / "class", tmp_path / "elsewhere"
    (root / "ada").mkdir(parents=True)
    hand_in(elsewhere, "dora", GOOD)
    (elsewhere / "progress.json").write_text(dumped({"07": Done(solved=True)}))
    links = {
        "ada/07.py": "dora/07_events/exercise.py", "ben.py": "dora/07_events/exercise.py",
        "cy.json": "progress.json", "dora": "dora", "eve.json": "nowhere.json",
        "eve-folder": "nowhere",
    }  # fmt: skip
    for name, target in links.items():
        (root / name).symlink_to(elsewhere / target)
    found = list(find_submissions(root, None))
    assert sorted(one.file for one in found) == sorted(links)
    for one in found:
        assert one.fault and "link" in str(one.fault) and not one.sha256 and one.done is None
    _, faults = collect(root, "en")
    assert len(faults) == 2 and all("a link" in fault for fault in faults)


def test_an_archive_and_a_notebook_have_a_row_unless_they_were_unpacked(tmp_path):
    root = tmp_path / "class"
    hand_in(root, "ada", GOOD)
    for name in ("ada.zip", "ben.ZIP", "cy.tar.gz", "dora.ipynb", "grades.csv", "roster.txt"):
        (root / name).write_bytes(b"whatever")
    (root / "ada.b").mkdir()
    (root / "eve").mkdir()
    (root / "eve" / "work.zip").write_bytes(b"whatever")
    told = {one.student: str(one.fault) for one in find_submissions(root, None) if one.fault}
    assert set(told) == {"ada.b", "ben", "cy", "dora", "eve"}
    assert all("unpacked" in told[student] for student in ("ben", "cy", "dora"))
    assert "'work.zip'" in told["eve"]


def test_a_file_that_an_editor_marked_as_utf_8_is_read(tmp_path):
    assert why_not_readable(hand_in(tmp_path, "ada", "\ufeff" + GOOD)) is None


def test_memory_that_torch_cannot_get_is_told_as_memory(tmp_path):
    error = "DefaultCPUAllocator: can't allocate memory"
    path = hand_in(tmp_path, "ada", f"raise RuntimeError({error!r})")
    (check,) = judge(lesson_named("07"), path).checks
    assert check.message == "memory"


def test_a_folder_without_submissions_and_a_strange_table_are_refused(tmp_path, capsys):
    with pytest.raises(LessonError, match="there is no folder"):
        list(find_submissions(tmp_path / "none", None))
    out = tmp_path / "grades.csv"
    assert main(["grade", str(tmp_path), "-o", str(out)]) == 2
    assert "has no submissions" in capsys.readouterr().err
    hand_in(tmp_path, "ada", "x")
    for strange in ("a,b\n1,2\n", "a,b\n" + "1" * 200_000 + ",2\n", "a\0b\n"):
        out.write_text(strange)
        assert main(["grade", str(tmp_path), "-o", str(out)]) == 2
        assert "no table of grades" in capsys.readouterr().err and out.read_text() == strange
    out.write_bytes(b"\xff\xfe\xff")
    assert main(["grade", str(tmp_path), "-o", str(out)]) == 2
    assert "no table of grades" in capsys.readouterr().err
