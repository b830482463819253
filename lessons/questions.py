"""Checks answers to questions: numbers that a run has, and words that are facts.

The same check serves the page, where answers are typed in, and files, where they are names at
the top of a module. A wrong answer is told what to think of, never the answer.
"""

from types import ModuleType, SimpleNamespace
from typing import Any

from lessons.checks import Check, Verdict
from lessons.edges import choices_of, edge_at_fault
from lessons.given import number
from lessons.lesson import Lesson, LessonError, Question
from lessons.scenes import figure

LARGEST = 1e300
"""What is larger, or no number at all, compares with nothing."""


def check_answers(work: ModuleType | SimpleNamespace, lesson: Lesson) -> Verdict:
    """The verdict on a file of answers: one name for each question."""
    return Verdict([check_answer(lesson, q, getattr(work, q.id, None)) for q in lesson.question])


def check_answer(lesson: Lesson, question: Question, given: Any) -> Check:  # noqa: ANN401
    """One answer, right or not."""
    message, values = _fault(lesson, question, given)
    return Check(question.id, message == "ok", message, question.points, values)


def _fault(lesson: Lesson, question: Question, given: Any) -> tuple[str, dict[str, Any]]:  # noqa: ANN401
    if given is None or (isinstance(given, str) and not given):
        return "unanswered", {}
    if question.kind == "number":
        value = number(given)
        if value is None or not abs(value) <= LARGEST:
            return "not_a_number", {"unit": question.unit}
        off = abs(value - figure(lesson, question.figure))
        if off <= question.tolerance:
            return "ok", {}
        return "number_off", {"given": f"{value:.10g}", "unit": question.unit}
    choices = choices_of(lesson, question) if question.kind == "edge" else lesson.choices
    if not isinstance(given, str) or given not in choices:
        return "not_a_choice", {"choices": ", ".join(choices)}
    if given != right_answer(lesson, question):
        return "choice_off", {"given": given}
    return "ok", {}


def right_answer(lesson: Lesson, question: Question) -> str:
    """The choice that is right. Raises LessonError if no range or several hold the figure, or the
    run has not the one fault that is asked for."""
    if question.kind == "edge":
        return edge_at_fault(lesson, question)
    if not question.figure:
        return question.answer
    value = figure(lesson, question.figure)
    holding = [name for name, (low, high) in question.ranges.items() if low <= value <= high]
    if len(holding) != 1:
        raise LessonError(f"question {question.id}: {len(holding)} ranges hold {value}, one must")
    return holding[0]
