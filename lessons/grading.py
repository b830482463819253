"""Grades the work of a class, piece by piece, and writes a table as it goes.

Rows already in the table are kept as long as the file is the same, so a grading that was broken
off goes on where it was. What counts as a student's work, `lessons.submissions` says.
"""

import csv
import sys
import time
from collections import Counter
from pathlib import Path

from tqdm import tqdm

from lessons.answers import score
from lessons.checks import Verdict, said, title
from lessons.lesson import Lesson, LessonError, Words
from lessons.limits import Limits
from lessons.loading import lesson_named
from lessons.process import check_file
from lessons.progress import Done
from lessons.progress_file import ProgressError
from lessons.quiz import QUIZZES, points, quiz_questions, wrong_questions
from lessons.submissions import Submission, find_submissions
from traces.output import replacing

LOOK_AGAIN = Words("look again at the lessons {lessons}", "请再看这些课：{lessons}")
COLON = Words("{title}: {said}", "{title}：{said}")
BEHIND_A_STOP = Words("{title} {said}", "{title}{said}")
"""A check and what it says; a title that is a question or a sentence has its stop already."""
BOM = "utf-8-sig"
"""How the table is written: spreadsheets know by the mark in front that it is UTF-8."""
COLUMNS = (
    "student", "lesson", "kind", "file", "prediction", "points", "most", "passed", "message",
    "seconds", "sha256",
)  # fmt: skip
"""`passed` is "yes", "no", or nothing where there is nothing to pass: a prediction alone,
or a quiz."""


def grade(root: Path, out: Path, limits: Limits, lesson: str | None, language: str) -> Counter[str]:
    """Grade what is new or changed in `root`; returns how many rows have which `passed`.

    Raises LessonError where there is nothing to grade, or the table cannot be written.
    """
    submissions = list(find_submissions(root, lesson))
    if not submissions:
        raise LessonError(
            f"{root} has no submissions: files are NAME/07_folder/exercise.py or NAME/07.py, "
            "NAME.py with --lesson, or NAME.json with the progress that the Lessons page saved"
        )
    rows = _kept(out, {submission.key for submission in submissions})
    known = {(row["file"], row["lesson"], row["sha256"]) for row in rows}
    left = [submission for submission in submissions if submission.key not in known]
    try:
        with replacing(out) as part, part.open("w", encoding=BOM, newline="") as file:
            table = csv.DictWriter(file, COLUMNS)
            table.writeheader()
            table.writerows(rows)
        with out.open("a", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, COLUMNS)
            for submission in tqdm(left, unit="file", file=sys.stderr):
                row = _graded(submission, limits, language)
                rows.append(row)
                table.writerow(row)
                file.flush()
    except OSError as error:
        raise LessonError(f"{out} cannot be written: {error.strerror}") from None
    return Counter(row["passed"] for row in rows)


def _kept(out: Path, keys: set[tuple[str, str, str]]) -> list[dict[str, str]]:
    """Rows of an earlier grading whose files are still there and the same."""
    if not out.is_file():
        return []
    try:
        with out.open(encoding=BOM, newline="") as file:
            table = csv.DictReader(file)
            columns, rows = table.fieldnames, list(table)
    except (csv.Error, UnicodeDecodeError):
        columns, rows = (), []
    if columns is not None and set(columns) != set(COLUMNS):
        raise LessonError(f"{out} is no table of grades: name another file, or delete it")
    kept = [row for row in rows if (row["file"], row["lesson"], row["sha256"]) in keys]
    return [row for row in kept if row["sha256"]]


def _graded(submission: Submission, limits: Limits, language: str) -> dict[str, str]:
    began = time.monotonic()
    try:
        found = _found(submission, limits, language)
    except ValueError as error:  # of a file, of a lesson that is not there, or is at fault
        found = {"points": "0", "most": "0", "passed": "no", "message": _said(error, language)}
    return {
        "student": submission.student,
        "lesson": submission.lesson,
        "kind": submission.kind,
        "file": submission.file,
        "prediction": "",
        **found,
        "seconds": f"{time.monotonic() - began:.1f}",
        "sha256": submission.sha256,
    }


def _found(submission: Submission, limits: Limits, language: str) -> dict[str, str]:
    """What the row says of the work. Raises ValueError, one sentence."""
    if submission.fault:
        raise submission.fault
    if submission.lesson in QUIZZES and submission.done is not None:
        return _of_quiz(submission.done, language)
    lesson = lesson_named(submission.lesson)
    if submission.done is None:
        return _of(lesson, check_file(lesson, submission.path, limits).verdict, language)
    scored = score(lesson, submission.done)
    return {"prediction": scored.prediction} | _of(lesson, scored.verdict, language)


def _of(lesson: Lesson, verdict: Verdict | None, language: str) -> dict[str, str]:
    if verdict is None:
        return {"points": "0", "most": "0", "passed": "", "message": ""}
    return {
        "points": str(verdict.points),
        "most": str(verdict.most),
        "passed": "yes" if verdict.passed else "no",
        "message": _message(lesson, verdict, language),
    }


def _said(error: ValueError, language: str) -> str:
    return error.said(language) if isinstance(error, ProgressError) else str(error)


def _of_quiz(done: Done, language: str) -> dict[str, str]:
    """Points, and which lessons to look at again; nobody passes or fails a quiz."""
    wrong = ", ".join(question.lesson for question in wrong_questions(done.answers))
    return {
        "points": str(points(done.answers)),
        "most": str(len(quiz_questions())),
        "passed": "",
        "message": LOOK_AGAIN.said(language, lessons=wrong) if wrong else "",
    }


def _message(lesson: Lesson, verdict: Verdict, language: str) -> str:
    """What is wrong, check by check."""
    failing = [check for check in verdict.checks if not check.passed]
    told = [(title(lesson, check, language), said(lesson, check, language)) for check in failing]
    return " | ".join(
        (BEHIND_A_STOP if name[-1] in ".?。？" else COLON).said(language, title=name, said=what)
        for name, what in told
    )
