"""The Lessons page: the course, lesson by lesson, part by part."""

import streamlit as st

from lab.catalogue import language, t
from lab.course.exercise import exercise
from lab.course.overview import facts, lesson_list
from lab.course.predict import ask
from lab.course.scene import show_scenes
from lab.course.state import (
    LESSON,
    PART,
    done_of,
    forget,
    go_to,
    keep_in_browser,
    locked,
    neighbour,
)
from lab.course.text import GLOSSARY, ready, terms_of, text
from lab.guard import one_sentence
from lab.in_url import BOUND, put_into_url, take_from_url
from lessons.lesson import Lesson
from lessons.loading import lessons
from lessons.texts import PARTS
from lessons.worksheet import worksheet

LARGE = """<style>
[data-testid=stMain] [data-testid=stMarkdownContainer]:not([data-testid=stMetric] *)
  :is(p, li, td, th) { font-size: 1.35rem; }
[data-testid=stMain] [data-testid=stCaptionContainer] p { font-size: 1.1rem !important; }
[data-testid=stMain] :is(td, th) { min-width: 4.5em; }
[data-testid=stMain] h1 { font-size: 2.2rem; }
[data-testid=stMain] :is(h2, h3) { font-size: 1.7rem; }
[data-testid=stMain] label:not([data-testid=stMetricLabel]) p { font-size: 1.2rem !important; }
</style>"""
"""Lecture mode: type that the last row can read. The numbers over a picture are large already, and
have cards of a fixed width."""


def page() -> None:
    """The list of lessons, or the chosen part of one."""
    keep_in_browser()
    chosen = _choose()
    if chosen not in lessons():
        lesson_list()
        return
    lesson = lessons()[chosen]
    if st.session_state.get("lecture"):
        st.html(LARGE)
    _heading(lesson)
    part = _part()
    with one_sentence():
        _show(lesson, part)
    _walk(lesson, part)
    _glossary(lesson, part)


def _choose() -> str:
    """Which lesson, lecture mode, and the way to begin it anew. A teacher's lock pins it."""
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    names = ["", *lessons()]
    take_from_url(LESSON, names, "")
    lesson: str = row.selectbox(
        t("lessons.lesson"), names, key=LESSON, disabled=locked(), width=320,
        format_func=lambda name: (
            f"{name} · {text(lessons()[name]).title}" if name else t("lessons.all")
        ),
    )  # fmt: skip
    put_into_url(LESSON, "")
    row.toggle(t("lessons.lecture"), key="lecture", bind=BOUND, help=t("lessons.lecture_help"))
    if lesson:
        row.button(
            t("lessons.reset"), key="lesson-reset", type="tertiary", on_click=_anew, args=(lesson,)
        )
        row.download_button(
            t("lessons.worksheet"), worksheet(lessons()[lesson], language()),
            f"lesson-{lesson}-{language()}.html", "text/html", key="worksheet", type="tertiary",
            on_click="ignore",
        )  # fmt: skip
    return lesson


def _part() -> str:
    """Which part is open."""
    take_from_url(PART, PARTS, PARTS[0])
    part: str | None = st.segmented_control(
        t("lessons.part"), PARTS, required=True, key=PART, label_visibility="collapsed",
        format_func=lambda name: t(f"lessons.part_{name}"),
    )  # fmt: skip
    put_into_url(PART, PARTS[0])
    return part or PARTS[0]


def _anew(lesson: str) -> None:
    """Callback: forget a lesson's answers, in the progress and in the fields."""
    forget(lesson)
    kept = (LESSON, PART)
    for key in list(st.session_state):
        if str(key).startswith((f"{lesson}-", f"predict-{lesson}", f"solved-{lesson}")):
            if key not in kept:
                del st.session_state[key]
    go_to(lesson, PARTS[0])


def _heading(lesson: Lesson) -> None:
    words = text(lesson)
    st.markdown(f"# {lesson.id} · {words.title}")
    st.caption(f"{words.summary} {facts(lesson)}")
    if locked():
        st.caption(f"🔒 {t('lessons.locked')}")


def _show(lesson: Lesson, part: str) -> None:
    """One part. What the run says stays hidden until there is a prediction."""
    if part == "predict":
        ask(lesson)
    elif not done_of(lesson.id).may_see:
        st.info(t("lessons.predict_first"))
        st.button(
            t("lessons.part_predict"), type="primary", on_click=go_to, args=(lesson.id, "predict")
        )
    elif part == "see":
        st.markdown(ready(lesson, text(lesson).parts["see"]))
        show_scenes(lesson)
    elif part == "exercise":
        exercise(lesson)
    else:
        st.markdown(ready(lesson, text(lesson).parts[part]))
        if part == "wild":
            st.markdown("\n".join(f"- [{link.name}]({link.url})" for link in lesson.wild))


def _walk(lesson: Lesson, part: str) -> None:
    """Back and forward, by button or with the arrow keys, and which of how many this is."""
    row = st.container(horizontal=True, vertical_alignment="center", gap="small")
    for step, name, shortcut in ((-1, "back", "Left"), (1, "forward", "Right")):
        beside = neighbour(lesson.id, part, step)
        row.button(
            t(f"lessons.{name}"), key=f"walk-{name}", shortcut=shortcut, disabled=beside is None,
            on_click=go_to, args=beside or (lesson.id, part),
        )  # fmt: skip
    number = PARTS.index(part) + 1
    row.caption(t("lessons.place", number=number, count=len(PARTS)))


def _glossary(lesson: Lesson, part: str) -> None:
    """What the part's words mean, where it has any."""
    if terms := terms_of(lesson, part):
        st.subheader(t("lessons.glossary"), anchor=GLOSSARY)
        st.caption("\n\n".join(terms))


page()
