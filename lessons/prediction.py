"""The question asked before a run is shown: what is right, and whether an answer is."""

from lessons.lesson import Lesson
from lessons.scenes import figure


def truth(lesson: Lesson) -> float:
    """What the scene's own run says."""
    return figure(lesson, lesson.predict.figure)


def right_choice(lesson: Lesson) -> int:
    """The place of the right entry in the list of choices. Raises ValueError if none or several
    hold the figure."""
    value = truth(lesson)
    holding = [n for n, (low, high) in enumerate(lesson.predict.ranges) if low <= value <= high]
    if len(holding) != 1:
        raise ValueError(f"predict.ranges: {len(holding)} of them hold {value}, one must")
    return holding[0]


def is_right(lesson: Lesson, answer: float) -> bool:
    """Whether a prediction is right: a number, or the place of a choice."""
    if lesson.predict.kind == "choice":
        return int(answer) == right_choice(lesson)
    return abs(answer - truth(lesson)) <= lesson.predict.tolerance
