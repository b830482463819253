"""The quiz before the course and after it: the same ten questions, so that the gain shows.

Its answers lie in a learner's progress beside the lessons', under the two names below. An answer
that is left open counts as not known.
"""

import tomllib
from collections.abc import Mapping
from functools import cache

import msgspec

from lessons.lesson import FOLDER, LessonError, Words

BEFORE, AFTER = "quiz-before", "quiz-after"
QUIZZES = (BEFORE, AFTER)
PATH = FOLDER / "quiz.toml"

Answers = Mapping[str, float | str | None]


class QuizQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question with its choices; `answer` is the right one, `lesson` explains it."""

    id: str
    lesson: str
    ask: Words
    choices: dict[str, Words]
    answer: str
    why: Words


class _File(msgspec.Struct, forbid_unknown_fields=True):
    question: tuple[QuizQuestion, ...]


@cache
def quiz_questions() -> tuple[QuizQuestion, ...]:
    """The questions in their order. Raises LessonError where an entry is wrong."""
    try:
        questions = msgspec.convert(tomllib.loads(PATH.read_text("utf-8")), _File).question
    except (OSError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise LessonError(f"{PATH}: {error}") from None
    for question in questions:
        if question.answer not in question.choices:
            raise LessonError(f"{PATH}: {question.id}: answer {question.answer!r} is no choice")
    return questions


def wrong_questions(answers: Answers) -> list[QuizQuestion]:
    """The questions that are not answered rightly, or not at all."""
    return [one for one in quiz_questions() if answers.get(one.id) != one.answer]


def points(answers: Answers) -> int:
    """How many are right."""
    return len(quiz_questions()) - len(wrong_questions(answers))
