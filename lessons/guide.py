"""The page `docs/instructors-guide.md`: what each lesson takes, asks and often gets for an answer.

    python -m lessons guide > docs/instructors-guide.md
    python -m lessons guide --lang zh > docs/instructors-guide.zh.md

All of it is read from the lessons' own folders, without a run of the engine: figures are those that
the tests compare with the runs, answers those of the reference solution.
"""

import ast
import re
from collections.abc import Iterator

from engine.markdown_table import markdown_table
from lessons.guide_words import GUIDE
from lessons.judging import load_module
from lessons.lesson import Lesson, Question
from lessons.loading import lessons, text_of
from lessons.prediction import unit_of
from lessons.scenes import quoted
from lessons.texts import unlinked

FIRST = re.compile(r".+?(?:[.] |[。]|$)")
"""The first sentence of a paragraph."""

PLACEHOLDER = re.compile(r"\{\w+\}")


def guide_page(language: str) -> str:
    """The whole page as Markdown."""
    parts = [GUIDE["head"].said(language), _overview(language)]
    for lesson in lessons().values():
        title = text_of(lesson, language).title
        parts.append(f'<a id="lesson-{lesson.id}"></a>\n\n## {lesson.id} · {title}')
        parts.append(lesson_guide(lesson, language))
    return "\n\n".join(parts) + "\n"


def lesson_guide(lesson: Lesson, language: str) -> str:
    """What the page says of one lesson, without its heading, as Markdown."""
    return "\n\n".join(_lesson(lesson, language))


def _overview(language: str) -> str:
    heads = ("lesson", "minutes", "level", "after", "exercise")
    rows = (
        (
            f"[{lesson.id} {text_of(lesson, language).title}](#lesson-{lesson.id})",
            str(lesson.minutes), _level(lesson, language), ", ".join(lesson.prerequisites) or "–",
            GUIDE[lesson.exercise].said(language),
        )
        for lesson in lessons().values()
    )  # fmt: skip
    total = sum(lesson.minutes for lesson in lessons().values())
    table = markdown_table([GUIDE[head].said(language) for head in heads], rows)
    return f"{table}\n\n{GUIDE['total'].said(language, hours=f'{total / 60:.0f}')}"


def _level(lesson: Lesson, language: str) -> str:
    return GUIDE[lesson.level].said(language)


def _lesson(lesson: Lesson, language: str) -> Iterator[str]:
    text = text_of(lesson, language)
    yield unlinked(text.summary, quoted(lesson))
    yield GUIDE["facts"].said(
        language, minutes=lesson.minutes, level=_level(lesson, language),
        after=", ".join(lesson.prerequisites) or "–",
        link=f"?lesson={lesson.id}&lang={language}&lock=1",
    )  # fmt: skip
    yield f"**{GUIDE['prediction'].said(language)}** {_prediction(lesson, language)}"
    scenes = (_look(text.scenes[scene.id]) for scene in lesson.scene)
    shown = "\n".join(f"- {unlinked(scene, quoted(lesson))}" for scene in scenes)
    yield f"**{GUIDE['look'].said(language)}**\n\n{shown}"
    if lesson.checks:
        checks = "\n".join(f"- {name.said(language)}" for name in lesson.checks.values())
        yield f"**{GUIDE['checks'].said(language)}**\n\n{checks}"
    if lesson.question:
        yield _questions(lesson, language)
    yield _wrong(lesson, language)


def _look(markdown: str) -> str:
    """A scene's heading, and the first sentence on what is to be seen."""
    heading, _, body = markdown.partition("\n")
    first = FIRST.match(" ".join(body.split()))
    return f"*{heading.removeprefix('### ')}*" + (f" — {first[0].strip()}" if first else "")


def _prediction(lesson: Lesson, language: str) -> str:
    """The right answer first; of a choice the others, too, which are the common wrong ones."""
    predict, value = lesson.predict, quoted(lesson)[lesson.predict.figure]
    found = f"{value} {unit_of(lesson, language)}"
    if predict.kind == "number":
        return GUIDE["number"].said(language, found=found, within=f"{predict.tolerance:g}")
    choices, number = text_of(lesson, language).choices, float(value.replace(",", ""))
    lines = [
        f"- {'✓ ' if low <= number <= high else '✗ '}{unlinked(choice, quoted(lesson))}"
        for choice, (low, high) in zip(choices, predict.ranges, strict=True)
    ]
    return "\n\n".join([GUIDE["choice"].said(language, found=found), "\n".join(lines)])


def _questions(lesson: Lesson, language: str) -> str:
    answers = reference_answers(lesson)
    heads = [GUIDE[head].said(language) for head in ("question", "answer", "why")]
    rows = (
        (
            question.ask.said(language), _answer(lesson, question, answers, language),
            unlinked(question.why.said(language), quoted(lesson)),
        )
        for question in lesson.question
    )  # fmt: skip
    return markdown_table(heads, rows)


def reference_answers(lesson: Lesson) -> dict[str, str | float]:
    """What the reference solution answers to each question."""
    solution = load_module(lesson.folder / "solution.py", "lesson_solution")
    return {question.id: getattr(solution, question.id) for question in lesson.question}


def _answer(
    lesson: Lesson, question: Question, answers: dict[str, str | float], language: str
) -> str:
    value = answers[question.id]
    if question.kind == "number":
        return f"{value:g} {question.unit}"
    if question.kind == "edge":
        return f"`{value}`"
    return lesson.choices[str(value)].said(language)


def _wrong(lesson: Lesson, language: str) -> str:
    """The mistakes that the lesson's tests know, and what the check says to each."""
    heads = [GUIDE[head].said(language) for head in ("mistake", "told")]
    rows = (
        (_mistake(lesson, name, language), _told(lesson, message, language))
        for name, message in lesson.wrong.items()
    )
    return f"**{GUIDE['wrong'].said(language)}**\n\n{markdown_table(heads, rows)}"


def _mistake(lesson: Lesson, name: str, language: str) -> str:
    """A wrong solution in its own first sentence, which is English, or by its name."""
    tree = ast.parse((lesson.folder / "wrong" / f"{name}.py").read_text("utf-8"))
    said = (ast.get_docstring(tree) or "").partition("\n\n")[0] if language == "en" else ""
    return said or f"`{name}`"


def _told(lesson: Lesson, message: str, language: str) -> str:
    """A message with its gaps left open; one that every lesson has is told by the question."""
    if message not in lesson.messages:
        return GUIDE["of_the_question"].said(language)
    return PLACEHOLDER.sub("…", getattr(lesson.messages[message], language))
