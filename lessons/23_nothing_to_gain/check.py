"""Lesson 23: predictions of what async saves, held against what the engine measures."""

from types import ModuleType

from lessons.checks import Verdict
from lessons.lesson import Lesson
from lessons.questions import check_answers


def check(work: ModuleType, lesson: Lesson) -> Verdict:
    """The verdict on the answers."""
    return check_answers(work, lesson)
