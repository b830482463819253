"""Answers given on the page, graded from saved progress: a row a learner and lesson."""

import csv

import pytest

from lessons.answers import score
from lessons.cli import main
from lessons.loading import lesson_named, lessons
from lessons.prediction import right_choice
from lessons.progress import Done, dumped, loaded
from lessons.progress_file import ProgressError
from lessons.quiz import quiz_questions
from lessons.submissions import progress_files, student_of

LESSON = lesson_named("02")
RIGHT = {question.id: question.answer for question in LESSON.question}
FIRST = LESSON.question[0]
CODE_ALONE = next(number for number, lesson in lessons().items() if not lesson.question)
OTHER = next(name for name in LESSON.choices if name != FIRST.answer)


def hand_in(root, name, progress):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    text = dumped(progress) if isinstance(progress, dict) else progress
    path.write_text(text, encoding="utf-8")


def grade(root, *more):
    out = root.parent / "grades.csv"
    code = main(["grade", str(root), "-o", str(out), *more])
    with out.open(encoding="utf-8-sig", newline="") as file:
        return code, {(row["student"], row["lesson"]): row for row in csv.DictReader(file)}


def test_a_class_has_a_row_a_learner_and_lesson_and_a_bad_file_has_its_own(tmp_path):
    root = tmp_path / "class"
    hand_in(root, "ada/overlap-lab-progress.json", {"02": Done(answers=RIGHT), "=9+9": Done()})
    hand_in(root, "ben-overlap-lab-progress.json", {"02": Done(answers=RIGHT | {FIRST.id: OTHER})})
    hand_in(root, "eve.json", {CODE_ALONE: Done(skipped=True, solved=True)})
    for name, text in (
        ("zed", "{"),
        ("old", '{"version": 9, "lessons": {}}'),
        ("big", "0" * 10**6),
    ):
        hand_in(root, f"{name}.json", text)
    code, rows = grade(root)
    assert code == 1 and set(rows) == {
        ("ada", "02"), ("ada", ""), ("ben", "02"), ("eve", CODE_ALONE), ("zed", ""), ("old", ""),
        ("big", ""),
    }  # fmt: skip
    most = str(len(RIGHT))
    points = {key: (row["points"], row["most"], row["passed"]) for key, row in rows.items()}
    assert points["ada", "02"] == (most, most, "yes")
    assert points["ben", "02"] == (str(len(RIGHT) - 1), most, "no")
    assert points["eve", CODE_ALONE] == ("0", "0", "")
    assert "is not it" in rows["ben", "02"]["message"]
    assert "does not have: '=9+9'" in rows["ada", ""]["message"]
    assert "no progress" in rows["zed", ""]["message"] and "version 9" in rows["old", ""]["message"]
    assert "too large" in rows["big", ""]["message"]
    assert grade(root)[1] == rows


def test_a_lesson_that_was_asked_for_has_a_row_of_everybody(tmp_path):
    root = tmp_path / "class"
    hand_in(root, "ada.json", {"02": Done(answers=RIGHT), "07": Done(skipped=True)})
    hand_in(root, "eve.json", {})
    code, rows = grade(root, "--lesson", "02")
    assert code == 1 and {key: row["passed"] for key, row in rows.items()} == {
        ("ada", "02"): "yes", ("eve", "02"): "no",
    }  # fmt: skip


@pytest.mark.parametrize("predicted", [None, -1.0, 0.5, 99.0])
def test_what_is_no_answer_to_the_question_is_no_prediction(predicted):
    assert score(LESSON, Done(predicted=predicted)).prediction == ""


def test_a_prediction_is_right_or_wrong_and_gives_no_points():
    right = right_choice(LESSON)
    scored = {n: score(LESSON, Done(predicted=n)) for n in range(len(LESSON.predict.ranges))}
    assert {n: one.prediction == "right" for n, one in scored.items()} == {
        n: n == right for n in scored
    }
    assert all(one.verdict.points == 0 for one in scored.values())


@pytest.mark.parametrize(
    "text", ["", "[]", '{"version": 1, "lessons": {"02": {"hints": -1}}}', "\\xff", "[" * 100_000]
)
def test_a_file_without_progress_is_refused_in_one_sentence(text):
    with pytest.raises(ProgressError, match="no progress of the course") as error:
        loaded(text)
    assert "课程进度" in error.value.said("zh")


def test_a_students_name_is_the_folders_or_the_files(tmp_path):
    own = "overlap-lab-progress"
    names = ["ada/a/my-progress.json", f"ben_{own}.json", f"{own} (2).json"]
    for name in [*names, "ada/hints-seen.json"]:
        hand_in(tmp_path, name, {})
    found = sorted(student_of(tmp_path, path) for path in progress_files(tmp_path))
    assert found == ["ada", "ben", f"{own} (2)"]


def test_a_quiz_has_its_points_and_the_lessons_to_look_at_again(tmp_path):
    root = tmp_path / "class"
    right = {question.id: question.answer for question in quiz_questions()}
    first = quiz_questions()[0]
    progress = {
        "quiz-before": Done(answers={first.id: "nonsense"}),
        "quiz-after": Done(answers=right),
    }
    hand_in(root, "ada.json", progress)
    code, rows = grade(root)
    before, after = rows["ada", "quiz-before"], rows["ada", "quiz-after"]
    assert code == 0 and (before["points"], after["points"]) == ("0", str(len(right)))
    assert first.lesson in before["message"] and after["message"] == "" == after["passed"]
