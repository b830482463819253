"""What a class predicted for one lesson: how many gave which answer, beside what the run says.

A choice has a bar each. Numbers are counted in bins of a round width that the right answer sets,
so that one wild guess does not flatten the picture; what lies beyond is in a first and a last bin.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import floor
from pathlib import Path

from lessons.lesson import Lesson, LessonError, Words
from lessons.loading import text_of
from lessons.prediction import is_an_answer, is_right, right_choice, truth
from lessons.progress import Done
from lessons.progress_file import ProgressError
from lessons.round_numbers import next_round
from lessons.scenes import quoted
from lessons.submissions import progress_files, read_progress
from lessons.texts import plain

BINS_TO_TRUTH, MOST_BINS = 8, 16
LESS = Words("less than {low:g} {unit}", "小于 {low:g} {unit}")
MORE = Words("{high:g} {unit} and more", "{high:g} {unit} 及以上")


@dataclass(frozen=True)
class Bar:
    """One answer, or a stretch of numbers, and how many gave it; `right` where it holds what the
    run says."""

    label: str
    count: int
    right: bool


def collect(root: Path, language: str) -> tuple[list[dict[str, Done]], list[str]]:
    """Every learner's progress below a folder, and one sentence on each file that holds none.

    Raises LessonError where the folder does not exist, or has no such files.
    """
    if not root.is_dir():
        raise LessonError(f"there is no folder {root}")
    progress, faults = [], []
    for path in progress_files(root):
        try:
            progress.append(read_progress(path))
        except ProgressError as error:
            faults.append(f"{path}: {error.said(language)}")
    if not progress and not faults:
        raise LessonError(f"{root} has no files of progress: NAME.json, or NAME/...progress.json")
    return progress, faults


def predictions(lesson: Lesson, progress: Iterable[Mapping[str, Done]]) -> list[float]:
    """What was predicted; who skipped it, or has not come that far, is left out."""
    found = (one[lesson.id].predicted for one in progress if lesson.id in one)
    return [given for given in found if given is not None and is_an_answer(lesson, given)]


def count_right(lesson: Lesson, given: Sequence[float]) -> int:
    """How many of them are right."""
    return sum(is_right(lesson, one) for one in given)


def histogram(lesson: Lesson, given: Sequence[float], language: str) -> list[Bar]:
    """The bars, in the order of the choices or of the numbers."""
    if lesson.predict.kind == "number":
        return _of_numbers(lesson, given, language)
    right = right_choice(lesson)
    return [
        Bar(plain(choice, quoted(lesson)), sum(one == place for one in given), place == right)
        for place, choice in enumerate(text_of(lesson, language).choices)
    ]


def _of_numbers(lesson: Lesson, given: Sequence[float], language: str) -> list[Bar]:
    right, unit = truth(lesson), lesson.predict.unit
    width = next_round(abs(right) / BINS_TO_TRUTH)
    home = floor(right / width)
    low = min(0, home)
    high = low + MOST_BINS
    places = [floor(min(max(one / width, low - 1), high)) for one in given]
    labels = {low - 1: LESS.said(language, low=low * width, unit=unit)}
    labels |= {n: f"{n * width:g} – {(n + 1) * width:g} {unit}" for n in range(low, high)}
    labels |= {high: MORE.said(language, high=high * width, unit=unit)}
    shown = range(min([low, *places]), max([home, *places]) + 1)
    return [Bar(labels[n], places.count(n), n == home) for n in shown]
