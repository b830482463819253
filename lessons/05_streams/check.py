"""Lesson 05: numbers that the programs themselves give on the virtual device."""

from types import ModuleType

from lessons.checks import Verdict
from lessons.lesson import Lesson
from lessons.questions import check_answers


def check(work: ModuleType, lesson: Lesson) -> Verdict:
    """The verdict on the answers."""
    return check_answers(work, lesson)
