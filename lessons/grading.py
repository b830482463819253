"""Checks the work of a class, file by file, and writes a table as it goes.

A submissions folder has one entry a student. A student's files tell their lesson by their
name or folder: `ada/07_events/exercise.py` (a work folder as it was handed in), `ada/07.py`;
where `lesson` is given, `ada.py` and `ada/anything.py`, too. Rows already in the table are kept
as long as the file is the same, so a grading that was broken off goes on where it was.
"""

import csv
import hashlib
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from lessons.checks import Verdict, said, title
from lessons.lesson import Lesson, LessonError
from lessons.limits import Limits
from lessons.loading import lesson_named, lessons
from lessons.process import check_file

COLUMNS = ("student", "lesson", "file", "points", "most", "passed", "message", "seconds", "sha256")


@dataclass(frozen=True)
class Submission:
    """One student's file for one lesson."""

    student: str
    lesson: Lesson
    path: Path
    file: str
    sha256: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What a row of the table is known by."""
        return self.file, self.lesson.id, self.sha256


def grade(root: Path, out: Path, limits: Limits, lesson: str | None, language: str) -> int:
    """Grade what is new or changed in `root`; returns how many rows did not pass.

    Raises LessonError where there is nothing to grade, or the table cannot be written.
    """
    submissions = list(find_submissions(root, lesson))
    if not submissions:
        raise LessonError(
            f"{root} has no submissions: files are NAME/07_folder/exercise.py or NAME/07.py, or "
            "NAME.py with --lesson"
        )
    rows = _kept(out, {submission.key for submission in submissions})
    known = {(row["file"], row["lesson"], row["sha256"]) for row in rows}
    left = [submission for submission in submissions if submission.key not in known]
    try:
        with out.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, COLUMNS)
            table.writeheader()
            table.writerows(rows)
            file.flush()
            for submission in tqdm(left, unit="file", file=sys.stderr):
                row = _graded(submission, limits, language)
                rows.append(row)
                table.writerow(row)
                file.flush()
    except OSError as error:
        raise LessonError(f"{out} cannot be written: {error.strerror}") from None
    return sum(row["passed"] != "yes" for row in rows)


def find_submissions(root: Path, lesson: str | None) -> Iterator[Submission]:
    """Every file that tells its student and its lesson, in order of names.

    Raises LessonError where the folder or the lesson does not exist.
    """
    if not root.is_dir():
        raise LessonError(f"there is no folder {root}")
    given = lesson_named(lesson) if lesson else None
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root)
        of_file = given or _lesson_of(relative)
        if of_file is not None and not path.is_symlink() and path.is_file():
            student = relative.parts[0].removesuffix(".py")
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            yield Submission(student, of_file, path, relative.as_posix(), digest)


def _lesson_of(relative: Path) -> Lesson | None:
    """The lesson that a path below the student's own folder names by its number."""
    for part in reversed(relative.parts[1:]):
        if part[:2] in lessons():
            return lessons()[part[:2]]
    return None


def _kept(out: Path, keys: set[tuple[str, str, str]]) -> list[dict[str, str]]:
    """Rows of an earlier grading whose files are still there and the same."""
    if not out.is_file():
        return []
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if rows and set(rows[0]) != set(COLUMNS):
        raise LessonError(f"{out} is no table of grades: name another file, or delete it")
    return [row for row in rows if (row["file"], row["lesson"], row["sha256"]) in keys]


def _graded(submission: Submission, limits: Limits, language: str) -> dict[str, str]:
    began = time.monotonic()
    verdict = check_file(submission.lesson, submission.path, limits).verdict
    return {
        "student": submission.student,
        "lesson": submission.lesson.id,
        "file": submission.file,
        "points": str(verdict.points),
        "most": str(verdict.most),
        "passed": "yes" if verdict.passed else "no",
        "message": _message(submission.lesson, verdict, language),
        "seconds": f"{time.monotonic() - began:.1f}",
        "sha256": submission.sha256,
    }


def _message(lesson: Lesson, verdict: Verdict, language: str) -> str:
    """What is wrong, check by check."""
    return " | ".join(
        f"{title(lesson, check, language)}: {said(lesson, check, language)}"
        for check in verdict.checks
        if not check.passed
    )
