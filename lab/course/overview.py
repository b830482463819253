"""The course at a glance: each lesson in its group, how far one has got, progress as a file."""

from collections.abc import Sequence

import streamlit as st

from lab.catalogue import language, t
from lab.course.quiz import quiz
from lab.course.state import bring_back, done_of, forget, go_to, locked, progress
from lab.course.text import text
from lab.escape import for_markdown
from lab.progress_file import progress_file
from lessons.lesson import GROUP_NAMES, GROUPS, Group, Lesson
from lessons.loading import broken, lessons
from lessons.progress import NAME, dumped
from lessons.quiz import AFTER, BEFORE

MARKS = {"solved": "●", "begun": "◐", "open": "○"}
"""How far a lesson is done, as a shape beside the word."""


def lesson_list() -> None:
    """All lessons, then the ways to take progress along."""
    st.markdown(f"# {t('lessons.title')}")
    st.caption(t("lessons.lead"))
    _so_far()
    quiz(BEFORE)
    for group in GROUPS:
        of_group = [lesson for lesson in lessons().values() if lesson.group == group]
        if of_group:
            _group(group, of_group)
    quiz(AFTER)
    for number, fault in broken().items():
        st.warning(t("lessons.broken", number=number, fault=for_markdown(fault)))
    _take_along()
    if not locked():
        st.page_link("lab/pages/teachers.py", label=t("lessons.to_teachers"))


def _so_far() -> None:
    """How much of the course is done, and the lesson to go on with: the first unsolved one."""
    left = [lesson for lesson in lessons().values() if _state(lesson) != "solved"]
    count = len(lessons())
    minutes = sum(lesson.minutes for lesson in left)
    told = t("lessons.so_far", solved=count - len(left), count=count, hours=f"{minutes / 60:.1f}")
    st.progress((count - len(left)) / max(1, count), told)
    if left and progress():
        label = t("lessons.go_on", lesson=f"{left[0].id} · {text(left[0]).title}")
        st.button(label, key="go-on", type="primary", on_click=go_to, args=(left[0].id, "predict"))


def _group(group: Group, of_group: Sequence[Lesson]) -> None:
    """A group's name, how much of it is done, and its lessons."""
    solved = sum(_state(lesson) == "solved" for lesson in of_group)
    minutes = sum(lesson.minutes for lesson in of_group)
    told = t("lessons.group_told", solved=solved, count=len(of_group), minutes=minutes)
    with st.container(border=True, gap="xsmall", key=f"lesson-group-{group}"):
        st.markdown(f"**{GROUP_NAMES[group].said(language())}** :gray[· {told}]")
        for lesson in of_group:
            _row(lesson)


def _row(lesson: Lesson) -> None:
    """A lesson in two lines: what opens it and how far it is done, then what it is about."""
    spoken, state = text(lesson), _state(lesson)
    with st.container(gap=None, key=f"lesson-row-{lesson.id}"):
        row = st.container(horizontal=True, vertical_alignment="center", gap="small")
        row.button(
            f"{MARKS[state]} **{lesson.id} · {spoken.title}**", key=f"open-{lesson.id}",
            type="tertiary", on_click=go_to, args=(lesson.id, "predict"),
        )  # fmt: skip
        if state != "open":
            colour = "green" if state == "solved" else "blue"
            row.markdown(f":{colour}-badge[{t(f'lessons.{state}')}]", width="content")
        st.caption(f"{spoken.summary} {facts(lesson)}")


def facts(lesson: Lesson) -> str:
    """Minutes, level and what should come before."""
    level = t(f"lessons.level_{lesson.level.replace(' ', '_')}")
    if not lesson.prerequisites:
        return t("lessons.facts", minutes=lesson.minutes, level=level)
    before = t("lessons.comma").join(lesson.prerequisites)
    return t("lessons.facts_after", minutes=lesson.minutes, level=level, lessons=before)


def _state(lesson: Lesson) -> str:
    done = done_of(lesson.id)
    if done.solved:
        return "solved"
    return "begun" if done.may_see else "open"


def _take_along() -> None:
    """Download, upload and reset of the progress."""
    with st.expander(t("progress.title"), key="progress-box"):
        st.caption(t("lessons.progress_help"))
        progress_file("progress", lambda: dumped(progress()), NAME, bring_back)
        st.button(
            t("lessons.reset_all"), key="progress-reset", on_click=forget, args=tuple(progress()),
            disabled=not progress(),
        )  # fmt: skip
