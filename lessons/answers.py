"""Scores what a student answered on the page: the prediction, and the exercise's questions.

A prediction is asked for before anything has been taught, so it gives no points; whether it was
right stands beside them. Code that was ticked off as solved counts for nothing here: the file is
handed in and run.
"""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import cast

from lessons.checks import Verdict
from lessons.lesson import Lesson
from lessons.prediction import is_an_answer, is_right
from lessons.progress import Done
from lessons.questions import check_answers


@dataclass(frozen=True)
class Scored:
    """`prediction`: right, wrong, or nothing where none was kept. `verdict`: on the questions,
    None where the lesson has none."""

    prediction: str
    verdict: Verdict | None


def score(lesson: Lesson, done: Done) -> Scored:
    """The score of one lesson. Raises ValueError where the lesson itself is at fault."""
    verdict = check_answers(SimpleNamespace(**done.answers), lesson) if lesson.question else None
    return Scored(_predicted(lesson, done), verdict)


def _predicted(lesson: Lesson, done: Done) -> str:
    if not is_an_answer(lesson, done.predicted):
        return ""
    return "right" if is_right(lesson, cast(float, done.predicted)) else "wrong"
