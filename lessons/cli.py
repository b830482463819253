"""The command line: `python -m lessons list | start | check`, and for teachers `grade`,
`predictions`, `worksheet` and `guide`.

Exit code 0: done, and the public checks passed. 1: they did not. 2: bad input, told in one line.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from lessons.class_commands import (
    count_predictions,
    grade_class,
    print_guide,
    write_worksheet,
)
from lessons.guide_words import GUIDE
from lessons.lesson import GROUP_NAMES, LANGUAGES, Lesson, Words
from lessons.limits import Limits
from lessons.loading import broken, lesson_named, lessons, text_of
from lessons.process import check_file
from lessons.report import as_lines, as_values
from lessons.texts import HINT_COUNT
from lessons.workfolder import DEFAULT, TRACE, exercise_path, next_hint, start
from traces.arguments import OneLineParser, count

FACTS = Words(
    "({minutes} min, {level}, after {after})", "（{minutes} 分钟，{level}，先修：{after}）"
)
FACTS_OF_THE_FIRST = Words("({minutes} min, {level})", "（{minutes} 分钟，{level}）")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.command(options))
    except (OSError, ValueError) as error:
        print(f"lessons: {' '.join(str(error).split())}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(prog="python -m lessons", description="The course's exercises.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command, text in (
        ("list", _list, "list the lessons"),
        ("start", _start, "copy an exercise to your work folder"),
        ("check", _check, "check your work"),
        ("grade", grade_class, "check the work of a class"),
        ("predictions", count_predictions, "count what a class predicted for a lesson"),
        ("worksheet", write_worksheet, "write a lesson's worksheet, to be printed"),
        ("guide", print_guide, "print the instructor's guide"),
    ):
        sub = commands.add_parser(name, help=text)
        sub.set_defaults(command=command)
        sub.add_argument("--lang", choices=LANGUAGES, default="en", help="language of the text")
        if name in ("start", "check"):
            sub.add_argument("lesson", help="the lesson's number, such as 07")
            sub.add_argument("--dir", type=Path, default=DEFAULT, help=f"default: {DEFAULT}")
        if name in ("list", "check"):
            sub.add_argument("--json", action="store_true", help="print JSON")
        if name in ("check", "grade"):
            sub.add_argument("--seconds", type=count, default=60, help="time limit of one check")
            sub.add_argument("--memory", type=count, default=6000, metavar="MB", help="limit")
        if name == "check":
            sub.add_argument("--hint", action="store_true", help="give the next of three hints")
        if name == "grade":
            sub.add_argument("submissions", type=Path, help="a folder with one entry a student")
            sub.add_argument("-o", "--out", type=Path, required=True, help="the CSV file")
            sub.add_argument("--lesson", help="the lesson, where file names do not tell it")
        if name == "predictions":
            sub.add_argument("progress", type=Path, help="a folder with files of saved progress")
            sub.add_argument("lesson", help="the lesson's number, such as 07")
            sub.add_argument("-o", "--out", type=Path, help="a .csv or a .json file")
        if name == "worksheet":
            sub.add_argument("lesson", help="the lesson's number, such as 07")
            sub.add_argument("-o", "--out", type=Path, required=True, help="an HTML file")
    return parser


def _list(options: argparse.Namespace) -> int:
    if options.json:
        rows = [_row(lesson, options.lang) for lesson in lessons().values()]
        print(json.dumps(rows, ensure_ascii=False))
        return 0
    for fault in broken().values():
        print(f"lessons: {fault}", file=sys.stderr)
    for group, of_group in groupby(lessons().values(), key=lambda lesson: lesson.group):
        print(GROUP_NAMES[group].said(options.lang))
        print("\n".join(_line(lesson, options.lang) for lesson in of_group))
    return 0


def _line(lesson: Lesson, language: str) -> str:
    """A lesson as one line of the list."""
    facts = FACTS if lesson.prerequisites else FACTS_OF_THE_FIRST
    told = facts.said(
        language, minutes=lesson.minutes, level=GUIDE[lesson.level].said(language),
        after=", ".join(lesson.prerequisites),
    )  # fmt: skip
    return f"  {lesson.id}  {text_of(lesson, language).title} {told}"


def _row(lesson: Lesson, language: str) -> dict[str, object]:
    return {
        "id": lesson.id,
        "title": text_of(lesson, language).title,
        "group": lesson.group,
        "level": lesson.level,
        "minutes": lesson.minutes,
        "prerequisites": list(lesson.prerequisites),
    }


def _start(options: argparse.Namespace) -> int:
    lesson = lesson_named(options.lesson)
    path, new = start(lesson, options.dir)
    if new:
        print(f"{path} is yours to edit; then: python -m lessons check {lesson.id}")
    else:
        print(f"{path} is there already and stays as it is; delete it to begin anew")
    return 0


def _check(options: argparse.Namespace) -> int:
    lesson = lesson_named(options.lesson)
    path = exercise_path(lesson, options.dir)
    if not path.is_file():
        raise ValueError(f"there is no {path}: begin with python -m lessons start {lesson.id}")
    outcome = check_file(lesson, path, Limits(options.seconds, options.memory))
    trace = path.with_name(TRACE)
    trace.unlink(missing_ok=True)
    if outcome.trace:
        trace.write_bytes(outcome.trace)
    hint = _hint(lesson, options) if options.hint and not outcome.verdict.passed else ""
    if options.json:
        values = as_values(lesson, outcome.verdict, options.lang)
        shown = {"trace": str(trace) if outcome.trace else "", "hint": hint}
        print(json.dumps(values | shown, ensure_ascii=False))
    else:
        print("\n".join(as_lines(lesson, str(path), outcome.verdict, options.lang)))
        if outcome.trace:
            print(f"The failing run is in {trace}: open it on the Inspect page of the lab.")
        if outcome.verdict.passed:
            print(f"A solution to compare yours with: {lesson.folder / 'solution.py'}")
        if hint:
            print(f"Hint {hint}")
        elif not outcome.verdict.passed:
            print(f"A hint: python -m lessons check {lesson.id} --hint")
    return 0 if outcome.verdict.passed else 1


def _hint(lesson: Lesson, options: argparse.Namespace) -> str:
    number = next_hint(lesson, options.dir, HINT_COUNT)
    return f"{number}/{HINT_COUNT} {text_of(lesson, options.lang).hints[number - 1]}"
