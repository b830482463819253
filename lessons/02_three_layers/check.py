"""Lesson 02: ten symptoms and remedies, each in its layer."""

from types import ModuleType

from lessons.checks import Verdict
from lessons.lesson import Lesson
from lessons.questions import check_answers


def check(work: ModuleType, lesson: Lesson) -> Verdict:
    """The verdict on the answers."""
    return check_answers(work, lesson)
