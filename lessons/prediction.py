"""The question asked before a run is shown: what is right, and whether an answer is."""

from lessons.lesson import Lesson, LessonError, Scene, Words
from lessons.scenes import figure

COUNTED = {
    "steps": Words("steps", "步"),
    "rows": Words("rows", "行"),
    "wrong tokens": Words("wrong tokens", "个错误 token"),
    "missing tokens": Words("missing tokens", "个缺失的 token"),
}
"""Units that are words; the others are the same in every language."""


def unit_of(lesson: Lesson, language: str) -> str:
    """The unit of the answer, as it is read."""
    unit = lesson.predict.unit
    return COUNTED[unit].said(language) if unit in COUNTED else unit


def asked_scene(lesson: Lesson) -> Scene:
    """The scene that the question is about: its run has the answer."""
    return lesson.scene_named(lesson.predict.figure.partition(".")[0])


def truth(lesson: Lesson) -> float:
    """What the scene's own run says."""
    return figure(lesson, lesson.predict.figure)


def right_choice(lesson: Lesson) -> int:
    """The place of the right entry in the list of choices. Raises LessonError if none or several
    hold the figure."""
    value = truth(lesson)
    holding = [n for n, (low, high) in enumerate(lesson.predict.ranges) if low <= value <= high]
    if len(holding) != 1:
        raise LessonError(f"predict.ranges: {len(holding)} of them hold {value}, one must")
    return holding[0]


def is_an_answer(lesson: Lesson, answer: float | None) -> bool:
    """Whether a prediction can be one: any number, or the place of one of the choices."""
    if lesson.predict.kind == "choice":
        return answer in range(len(lesson.predict.ranges))
    return answer is not None


def is_right(lesson: Lesson, answer: float) -> bool:
    """Whether a prediction is right: a number, or the place of a choice."""
    if lesson.predict.kind == "choice":
        return answer == right_choice(lesson)
    return abs(answer - truth(lesson)) <= lesson.predict.tolerance
