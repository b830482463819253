"""A class's predictions as text for a terminal, and as CSV or JSON for a program."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

from lessons.class_predictions import Bar, count_right, histogram
from lessons.lesson import Lesson, LessonError, Words
from lessons.loading import text_of
from lessons.prediction import truth, unit_of
from traces.output import write_whole
from traces.units import rounded

HEAD = Words(
    "{id} {title}: {count} predictions, {right} right; the run says {truth} {unit}",
    "{id} {title}：{count} 份预测，{right} 份正确；运行结果 {truth} {unit}",
)
MOST_MARKS = 40
"""The longest bar, in characters."""


def as_lines(lesson: Lesson, given: Sequence[float], language: str) -> list[str]:
    """A table of text; the right answer has an arrow."""
    bars = histogram(lesson, given, language)
    scale = min(1.0, MOST_MARKS / max(1, *(bar.count for bar in bars)))
    head = HEAD.said(
        language, id=lesson.id, title=text_of(lesson, language).title, count=len(given),
        right=count_right(lesson, given), truth=rounded(truth(lesson), 4),
        unit=unit_of(lesson, language),
    )  # fmt: skip
    return [head.rstrip(), *(_line(bar, scale) for bar in bars)]


def _line(bar: Bar, scale: float) -> str:
    marks = "#" * round(bar.count * scale)
    return f"{'->' if bar.right else '  '} {bar.count:4} {marks:{MOST_MARKS}} {bar.label}".rstrip()


def write(lesson: Lesson, given: Sequence[float], language: str, out: Path) -> None:
    """Write the table to a .csv or a .json file. Raises LessonError."""
    kinds = {".csv": _csv, ".json": _json}
    if out.suffix not in kinds:
        raise LessonError(f"{out}: the name of the file must end with .csv or .json")
    try:
        text = kinds[out.suffix](lesson, given, language)
        write_whole(out, ("\ufeff" if out.suffix == ".csv" else "") + text)  # for spreadsheets
    except OSError as error:
        raise LessonError(f"{out} cannot be written: {error.strerror}") from None


def _csv(lesson: Lesson, given: Sequence[float], language: str) -> str:
    file = io.StringIO()
    table = csv.writer(file)
    table.writerow(["lesson", "answer", "count", "right"])
    for bar in histogram(lesson, given, language):
        table.writerow([lesson.id, bar.label, bar.count, "yes" if bar.right else "no"])
    return file.getvalue()


def _json(lesson: Lesson, given: Sequence[float], language: str) -> str:
    bars = [
        {"answer": bar.label, "count": bar.count, "right": bar.right}
        for bar in histogram(lesson, given, language)
    ]
    whole = {
        "lesson": lesson.id, "predictions": len(given), "right": count_right(lesson, given),
        "truth": truth(lesson), "unit": lesson.predict.unit, "bars": bars,
    }  # fmt: skip
    return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"
