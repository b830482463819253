"""The course at a glance: every lesson with its minutes and how far one has got, and progress as
a file."""

import streamlit as st

from lab.catalogue import t
from lab.escape import for_markdown
from lab.lesson_class import class_predictions
from lab.lesson_quiz import quiz
from lab.lesson_state import bring_back, done_of, forget, go_to, locked, progress
from lab.lesson_text import text
from lab.progress_file import progress_file
from lessons.lesson import Lesson
from lessons.loading import broken, lessons
from lessons.progress import NAME, dumped
from lessons.quiz import AFTER, BEFORE


def lesson_list() -> None:
    """All lessons, then the ways to take progress along."""
    st.markdown(f"# {t('lessons.title')}")
    st.caption(t("lessons.lead"))
    quiz(BEFORE)
    for lesson in lessons().values():
        _row(lesson)
    quiz(AFTER)
    for number, fault in broken().items():
        st.warning(t("lessons.broken", number=number, fault=for_markdown(fault)))
    _take_along()
    if not locked():
        class_predictions()


def _row(lesson: Lesson) -> None:
    with st.container(border=True, key=f"lesson-row-{lesson.id}"):
        words, way = st.columns([6, 1], vertical_alignment="center")
        spoken = text(lesson)
        words.markdown(f"**{lesson.id} · {spoken.title}** {_badge(lesson)}")
        words.caption(f"{spoken.summary} {facts(lesson)}")
        way.button(
            t("lessons.open"), key=f"open-{lesson.id}", on_click=go_to,
            args=(lesson.id, "predict"), width="stretch",
        )  # fmt: skip


def facts(lesson: Lesson) -> str:
    """Minutes, level and what should come before."""
    level = t(f"lessons.level_{lesson.level.replace(' ', '_')}")
    told = t("lessons.facts", minutes=lesson.minutes, level=level)
    if lesson.prerequisites:
        told += " " + t("lessons.after", lessons=", ".join(lesson.prerequisites))
    return told


def _badge(lesson: Lesson) -> str:
    done = done_of(lesson.id)
    if done.solved:
        return f":green-badge[{t('lessons.solved')}]"
    return f":blue-badge[{t('lessons.begun')}]" if done.may_see else ""


def _take_along() -> None:
    """Download, upload and reset of the progress."""
    with st.expander(t("progress.title"), key="progress-box"):
        st.caption(t("lessons.progress_help"))
        progress_file("progress", lambda: dumped(progress()), NAME, bring_back)
        st.button(
            t("lessons.reset_all"), key="progress-reset", on_click=forget, args=tuple(progress()),
            disabled=not progress(),
        )  # fmt: skip
