"""Lesson 06: six snippets, each run on the virtual device by the tests."""

from types import ModuleType

from lessons.checks import Verdict
from lessons.lesson import Lesson
from lessons.questions import check_answers


def check(work: ModuleType, lesson: Lesson) -> Verdict:
    """The verdict on the answers."""
    return check_answers(work, lesson)
