"""The commands of `python -m lessons` that are for a teacher; `lessons.cli` has their arguments."""

import argparse
import sys

from lessons import class_report
from lessons.class_predictions import collect, predictions
from lessons.grading import grade
from lessons.guide import guide_page
from lessons.lesson import LessonError, Words
from lessons.limits import Limits
from lessons.loading import lesson_named
from lessons.worksheet import worksheet
from traces.output import confirmed, write_whole

GRADED = Words(
    "{out}: {rows} rows, {yes} passed, {no} did not, {none} with nothing to pass",
    "{out}：{rows} 行，{yes} 行通过，{no} 行没有通过，{none} 行没有可通过的内容",
)


def grade_class(options: argparse.Namespace) -> int:
    """Grade a folder of submissions; exit code 1 where a piece of work did not pass."""
    limits = Limits(options.seconds, options.memory)
    passed = grade(options.submissions, options.out, limits, options.lesson, options.lang)
    counts = {"rows": passed.total(), "yes": passed["yes"], "no": passed["no"], "none": passed[""]}
    print(GRADED.said(options.lang, out=options.out, **counts))
    return 1 if passed["no"] else 0


def count_predictions(options: argparse.Namespace) -> int:
    """Show what a class predicted for a lesson."""
    lesson = lesson_named(options.lesson)
    progress, faults = collect(options.progress, options.lang)
    for fault in faults:
        print(f"lessons: {fault}", file=sys.stderr)
    given = predictions(lesson, progress)
    print("\n".join(class_report.as_lines(lesson, given, options.lang)))
    if options.out:
        class_report.write(lesson, given, options.lang, options.out)
        print(confirmed(options.out))
    return 0


def print_guide(options: argparse.Namespace) -> int:
    """Print the instructor's guide as Markdown."""
    print(guide_page(options.lang), end="")
    return 0


def write_worksheet(options: argparse.Namespace) -> int:
    """Write a lesson's worksheet. Raises LessonError where the file cannot be written."""
    lesson = lesson_named(options.lesson)
    try:
        write_whole(options.out, worksheet(lesson, options.lang))
    except OSError as error:
        raise LessonError(f"{options.out} cannot be written: {error.strerror}") from None
    print(confirmed(options.out))
    return 0
