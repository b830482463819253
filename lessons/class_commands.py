"""The commands of `python -m lessons` that are for a teacher; `lessons.cli` has their arguments."""

import argparse
import sys

from lessons import class_report
from lessons.class_predictions import collect, predictions
from lessons.grading import grade
from lessons.guide import guide_page
from lessons.lesson import LessonError
from lessons.limits import Limits
from lessons.loading import lesson_named
from lessons.worksheet import worksheet
from traces.output import write_whole


def grade_class(options: argparse.Namespace) -> int:
    """Grade a folder of submissions; exit code 1 where a piece of work did not pass."""
    limits = Limits(options.seconds, options.memory)
    failed = grade(options.submissions, options.out, limits, options.lesson, options.lang)
    return 1 if failed else 0


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
    return 0
