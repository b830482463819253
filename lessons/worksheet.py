"""A lesson on paper: one HTML file without scripts or links to others, made to be printed.

It has the prediction with room to write, empty timelines to draw into, and the exercise's task;
no answers, no hints, and no figure of a scene that the task itself does not quote.
"""

import html
from functools import cache

from markdown_it import MarkdownIt

from lessons.edges import choices_of
from lessons.lesson import Lesson, Question, Words
from lessons.loading import text_of
from lessons.prediction import asked_scene
from lessons.scenes import quoted
from lessons.texts import unlinked
from lessons.timeline_form import empty_timeline

WORDS = {
    "name": Words("Name", "姓名"),
    "date": Words("Date", "日期"),
    "predict": Words("1 · Predict", "1 · 先预测"),
    "because": Words("I think so because", "我这样想是因为"),
    "number": Words("My number", "我的数字"),
    "sketch": Words(
        "2 · Draw what you expect, then what you saw", "2 · 先画你的预期，再画你看到的"
    ),
    "expected": Words("What I expect", "我的预期"),
    "seen": Words("What the run showed", "运行的结果"),
    "surprise": Words("What I had not expected", "我没有料到的"),
    "exercise": Words("3 · Break or fix it", "3 · 动手：弄坏它或修好它"),
    "given": Words("What you are given", "给你的文件"),
    "picture": Words(
        "Its timeline stands on the lesson's page, in this part.",
        "它的时间线在这一课网页的这一部分。",
    ),
    "notes": Words("Notes", "笔记"),
    "answer": Words("Answer", "答案"),
}

STYLE = """
@page { size: A4; margin: 16mm }
body { font: 11pt/1.45 system-ui, "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif;
  color: #1f2328; max-width: 178mm; margin: 8mm auto; padding: 0 4mm }
h1 { font-size: 19pt; margin: 0 0 2mm } h2 { font-size: 13pt; margin: 7mm 0 2mm;
  border-bottom: 1px solid #808a94; break-after: avoid }
.who { display: flex; gap: 8mm; margin-bottom: 5mm } .who span { flex: 1; border-bottom: 1px solid }
.line { border-bottom: 1px solid #808a94; height: 8mm } .blank { display: inline-block; width: 32mm;
  border-bottom: 1px solid }
ul.boxes { list-style: none; padding-left: 2mm } ul.boxes li::before { content: "\\2610\\a0\\a0" }
ul.inline li { display: inline-block; margin-right: 8mm }
figure, .question, table { break-inside: avoid; margin: 3mm 0 }
figcaption { font-weight: 600 } svg { width: 100%; height: auto }
table { border-collapse: collapse } td, th { border: 1px solid #808a94; padding: 1mm 2mm;
  text-align: left }
pre { border: 1px solid #808a94; padding: 2mm; font-size: 7.6pt; line-height: 1.35;
  white-space: pre-wrap }
"""


@cache
def worksheet(lesson: Lesson, language: str) -> str:
    """The whole page as HTML."""
    text = text_of(lesson, language)
    name, date = (WORDS[key].said(language) for key in ("name", "date"))
    title = f"{lesson.id} · {html.escape(text.title)}"
    body = [
        f"<h1>{title}</h1>",
        f'<div class="who"><span>{name}</span><span>{date}</span></div>',
        _html(lesson, text.summary),
        *_predict(lesson, language),
        *_sketch(lesson, language),
        *_exercise(lesson, language),
        _heading("notes", language),
        _lines(8),
    ]
    return (
        f'<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8">'
        f"<title>{title}</title><style>{STYLE}</style></head>\n<body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def _predict(lesson: Lesson, language: str) -> list[str]:
    text = text_of(lesson, language)
    parts = [_heading("predict", language), _html(lesson, text.parts["predict"])]
    if lesson.predict.kind == "number":
        parts.append(_blank("number", lesson.predict.unit, language))
    else:
        parts.append(_boxes([_inline(lesson, choice) for choice in text.choices]))
    return [*parts, f"<p>{WORDS['because'].said(language)}</p>", _lines(3)]


def _sketch(lesson: Lesson, language: str) -> list[str]:
    """Two timelines of the scene that the prediction is about; a program's has no scale, which
    might say too much."""
    scene = asked_scene(lesson)
    window = None if scene.program else (scene.window_ms or (0.0, 100.0))
    parts = [_heading("sketch", language)]
    for key in ("expected", "seen"):
        caption = f"<figcaption>{WORDS[key].said(language)}</figcaption>"
        parts.append(f"<figure>{caption}{empty_timeline(window, language)}</figure>")
    return [*parts, f"<p>{WORDS['surprise'].said(language)}</p>", _lines(3)]


def _exercise(lesson: Lesson, language: str) -> list[str]:
    parts = [_heading("exercise", language)]
    parts.append(_html(lesson, text_of(lesson, language).parts["exercise"]))
    parts += [_question(lesson, question, language) for question in lesson.question]
    if lesson.exercise == "code":
        source = (lesson.folder / "exercise.py").read_text("utf-8")
        parts.append(f"<p>{WORDS['given'].said(language)}</p><pre>{html.escape(source)}</pre>")
    return parts


def _question(lesson: Lesson, question: Question, language: str) -> str:
    ask = _html(lesson, question.asked(language))
    if question.kind == "number":
        field = _blank("answer", question.unit, language)
    elif question.kind == "edge":
        field = f"<p>{WORDS['picture'].said(language)}</p>"
        field += _boxes([_edge(name) for name in choices_of(lesson, question)], "inline")
    else:
        choices = [html.escape(words.said(language)) for words in lesson.choices.values()]
        field = _boxes(choices, "inline")
    return f'<div class="question">{ask}{field}</div>'


def _edge(name: str) -> str:
    """A choice in a timeline as the page shows it."""
    return html.escape(name.replace("->", "→"))


def _heading(key: str, language: str) -> str:
    return f"<h2>{WORDS[key].said(language)}</h2>"


def _blank(key: str, unit: str, language: str) -> str:
    """A number to be written in."""
    said = WORDS[key].said(language)
    return f'<p>{said}: <span class="blank"></span> {html.escape(unit)}</p>'


def _boxes(choices: list[str], more: str = "") -> str:
    items = "".join(f"<li>{choice}</li>" for choice in choices)
    return f'<ul class="boxes {more}">{items}</ul>'


def _lines(count: int) -> str:
    return '<div class="line"></div>' * count


def _html(lesson: Lesson, markdown: str) -> str:
    return str(_markdown().render(unlinked(markdown, quoted(lesson))))


def _inline(lesson: Lesson, markdown: str) -> str:
    return str(_markdown().renderInline(unlinked(markdown, quoted(lesson))))


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")
