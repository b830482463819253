"""Lesson 22: three dumps, each with what is wrong in it and one number that shows it."""

from types import ModuleType

from lessons.checks import Verdict
from lessons.lesson import Lesson
from lessons.questions import check_answers


def check(work: ModuleType, lesson: Lesson) -> Verdict:
    """The verdict on the answers."""
    return check_answers(work, lesson)
