"""Reads lesson folders, and says in one sentence which entry of which file is wrong.

A folder that cannot be used is left out of the course and named in `broken`; the others work.
"""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from engine.mechanisms.table import BY_NAME
from lessons.figures import FIGURES
from lessons.glossary import glossary
from lessons.lesson import FILES_END, FOLDER, LANGUAGES, Lesson, LessonError, Question, Scene
from lessons.programs import FIGURES as PROGRAM_FIGURES
from lessons.programs import FILE, functions_of
from lessons.scenes import config_of, quoted
from lessons.texts import HINT_COUNT, Text, parse_text

NAME = re.compile(r"(\d\d)_[a-z0-9_]+")
"""A lesson's folder: its number, and what it is about."""

FILES = ("en.md", "zh.md", "exercise.py", "check.py", "solution.py")
LEAST_WRONG = 3


@cache
def _course(root: Path) -> tuple[dict[str, Lesson], dict[str, str]]:
    """The lessons by id, and by number why a folder is none."""
    good: dict[str, Lesson] = {}
    bad: dict[str, str] = {}
    for folder in sorted(path for path in root.iterdir() if NAME.fullmatch(path.name)):
        number = folder.name[:2]
        try:
            if number in good:
                raise LessonError(f"{folder}: another folder is lesson {number} already")
            good[number] = load_lesson(folder)
        except LessonError as error:
            bad[number] = str(error)
    return good, bad


def lessons() -> dict[str, Lesson]:
    """All lessons by id, in the order of the course, without those that are broken."""
    return _course(FOLDER)[0]


def broken() -> dict[str, str]:
    """What is wrong with folders that cannot be used: one sentence each, by number."""
    return _course(FOLDER)[1]


def lesson_named(name: str) -> Lesson:
    """The lesson of a number ("07", or "7"). Raises LessonError."""
    known = lessons()
    wanted = name.zfill(2)
    if wanted in broken() and wanted not in known:
        raise LessonError(broken()[wanted])
    if wanted not in known:
        raise LessonError(f"there is no lesson {name!r}: the lessons are {', '.join(known)}")
    return known[wanted]


def load_lesson(folder: Path) -> Lesson:
    """Read and check a lesson's folder. Raises LessonError."""
    path = folder / "lesson.toml"
    lesson: Lesson = decoded(path, Lesson)
    scenes, runs = (
        tuple(_with_own_files(scene, folder) for scene in listed)
        for listed in (lesson.scene, lesson.run)
    )
    lesson = msgspec.structs.replace(lesson, folder=folder, scene=scenes, run=runs)
    try:
        _check(lesson)
    except ValueError as error:
        raise LessonError(f"{path}: {error}") from None
    for name in FILES:
        if not (folder / name).is_file():
            raise LessonError(f"{folder / name} is missing: every lesson has one")
    for language in LANGUAGES:
        _check_text(lesson, language)
    return lesson


def _with_own_files(scene: Scene, folder: Path) -> Scene:
    """A workload or a cost that is a file lies in the lesson's folder."""
    return msgspec.structs.replace(
        scene, workload=_own(scene.workload, folder), cost=_own(scene.cost, folder)
    )


def _own(name: str | None, folder: Path) -> str | None:
    return str(folder / name) if name is not None and name.endswith(FILES_END) else name


def decoded(path: Path, kind: type[Any]) -> Any:  # noqa: ANN401 - whatever kind is asked for
    """A TOML file as values of a type. Raises LessonError naming the file and the entry."""
    try:
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), kind)
    except OSError as error:
        raise LessonError(f"{path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise LessonError(f"{path}: {error}{_choices(str(error), kind)}") from None


def _choices(fault: str, kind: type[Any]) -> str:
    """What there is to choose from, where a fault says only that a value is none of it."""
    if not fault.startswith("Invalid enum value"):
        return ""
    found: Any = msgspec.inspect.type_info(kind)
    for name in re.findall(r"\.(\w+)", fault.rpartition(" - at ")[2]):
        found = {field.encode_name: field.type for field in found.fields}[name]
        found = getattr(found, "item_type", found)  # where there is a list of them
    return ": it must be one of " + ", ".join(map(repr, found.values))


@cache
def text_of(lesson: Lesson, language: str) -> Text:
    """A lesson's text. Raises LessonError where a part of it is missing."""
    path = lesson.folder / f"{language}.md"
    try:
        return parse_text(path.read_text("utf-8"), language)
    except ValueError as error:  # a part is missing, or it is no UTF-8
        raise LessonError(f"{path}: {error}") from None
    except OSError as error:
        raise LessonError(f"{path} cannot be read: {error.strerror}") from None


def _check_text(lesson: Lesson, language: str) -> None:
    """Raise LessonError where a page could not show the text."""
    text, path = text_of(lesson, language), lesson.folder / f"{language}.md"
    for name in text.figures:
        if name not in quoted(lesson):
            raise LessonError(f"{path}: {{{name}}} is not among the figures of lesson.toml")
    for term in sorted(text.terms - set(glossary())):
        raise LessonError(f"{path}: the glossary has no entry {term!r}")
    if set(text.scenes) != {scene.id for scene in lesson.scene}:
        raise LessonError(f"{path}: its scenes are not those of lesson.toml")
    if len(text.choices) != len(lesson.predict.ranges):
        raise LessonError(f"{path}: the list of the first part is not as long as predict.ranges")


def _check(lesson: Lesson) -> None:
    """Raise ValueError, one sentence that names the entry."""
    if lesson.folder.name[:2] != lesson.id:
        raise ValueError(f"id is {lesson.id!r}, and the folder is called {lesson.folder.name}")
    for name in lesson.prerequisites:
        if not (re.fullmatch(r"\d\d", name) and name < lesson.id):
            raise ValueError(f"prerequisites: {name!r} is not the number of an earlier lesson")
    for scene in (*lesson.scene, *lesson.run):
        _check_scene(scene, lesson)
    figures = [lesson.predict.figure, *(q.figure for q in lesson.question if q.figure)]
    for figure in figures:
        _check_figure(figure, lesson)
    asked = lesson.predict.figure.partition(".")[0]
    if asked not in {scene.id for scene in lesson.scene}:
        raise ValueError(f"predict.figure: {asked!r} is no scene that the page shows")
    if lesson.predict.kind == "choice" and len(lesson.predict.ranges) < 2:
        raise ValueError("predict.ranges: a choice has at least two")
    if lesson.exercise == "questions" and not lesson.question:
        raise ValueError("question: an exercise of questions has some")
    for question in lesson.question:
        _check_question(question, lesson)
    present = {path.stem for path in (lesson.folder / "wrong").glob("*.py")}
    if present != set(lesson.wrong) or len(present) < LEAST_WRONG:
        raise ValueError(
            f"wrong: it must name each of at least {LEAST_WRONG} files of wrong/; "
            f"there are {sorted(present)}, named are {sorted(lesson.wrong)}"
        )


def _check_scene(scene: Scene, lesson: Lesson) -> None:
    if scene.program:
        _check_program(scene, lesson)
    else:
        try:
            config_of(scene)
        except ValueError as error:
            raise ValueError(f"scene {scene.id}: {error}") from None
    for name in scene.switches:
        if name not in BY_NAME:
            raise ValueError(f"scene {scene.id}: switches: there is no mechanism {name!r}")
    for figure in scene.figures:
        _check_figure(f"{scene.id}.{figure}", lesson)
    if scene.beside and scene.beside not in {other.id for other in lesson.scene}:
        raise ValueError(f"scene {scene.id}: beside: there is no scene {scene.beside!r}")


def _check_program(scene: Scene, lesson: Lesson) -> None:
    if not (lesson.folder / FILE).is_file():
        raise ValueError(f"scene {scene.id}: program: there is no {FILE} in the folder")
    if not callable(getattr(functions_of(lesson.folder), scene.program, None)):
        raise ValueError(f"scene {scene.id}: program: {FILE} has no {scene.program!r}")
    for name, values in scene.options.items():
        if len(values) < 2:
            raise ValueError(f"scene {scene.id}: options.{name}: a choice has at least two")


def _check_question(question: Question, lesson: Lesson) -> None:
    if question.kind == "edge":
        _check_edge(question, lesson)
        return
    if bool(question.figure) == bool(question.answer):
        raise ValueError(f"question {question.id}: it has either a figure or an answer")
    if question.answer and question.answer not in lesson.choices:
        raise ValueError(f"question {question.id}: answer {question.answer!r} is no choice")
    of_a_figure = bool(question.figure) and question.kind == "choice"
    if set(question.ranges) != (set(lesson.choices) if of_a_figure else set()):
        raise ValueError(
            f"question {question.id}: ranges: each choice has one where a choice answers for a "
            "figure, and no other question has any"
        )


def _check_edge(question: Question, lesson: Lesson) -> None:
    if question.run not in {run.id for run in lesson.run if run.program}:
        raise ValueError(f"question {question.id}: run: there is no program {question.run!r}")
    if not question.fault:
        raise ValueError(f"question {question.id}: fault: what is wrong with the run's order?")
    if len(question.hints) != HINT_COUNT:
        raise ValueError(f"question {question.id}: hints: there must be {HINT_COUNT}")


def _check_figure(name: str, lesson: Lesson) -> None:
    wanted, _, figure = name.partition(".")
    scene = {known.id: known for known in (*lesson.scene, *lesson.run)}.get(wanted)
    if scene is None:
        raise ValueError(f"figure {name!r}: there is no scene {wanted!r}")
    if figure.partition(":")[0] not in (PROGRAM_FIGURES if scene.program else FIGURES):
        raise ValueError(f"figure {name!r}: there is no figure {figure!r}")
