"""The fourth part of a lesson: questions are answered here, code in the learner's own editor.

The lab never runs code that was typed into a page. It says which commands do.
"""

from types import SimpleNamespace
from typing import Any

import streamlit as st

from lab.catalogue import language, t
from lab.course.edge_question import ask_edge
from lab.course.program import draw_program
from lab.course.state import done_of, locked, note
from lab.course.text import ready, text
from lab.escape import for_markdown
from lessons.checks import Check, said
from lessons.handouts import handouts
from lessons.lesson import Lesson, Question
from lessons.questions import check_answers
from lessons.texts import HINT_COUNT


def exercise(lesson: Lesson) -> None:
    """The task, the way to do it, hints in steps, and the solution once it is solved."""
    st.markdown(ready(lesson, text(lesson).parts["exercise"]))
    _handouts(lesson)
    if lesson.question:
        _questions(lesson)
    if lesson.exercise == "code":
        _commands(lesson)
    _hints(lesson)
    if done_of(lesson.id).solved and not locked():
        with st.expander(t("lessons.solution"), key=f"solution-{lesson.id}"):
            source = (lesson.folder / "solution.py").read_text("utf-8")
            st.code(source, language="python")


def _handouts(lesson: Lesson) -> None:
    """The trace files that go with the exercise, and the page that opens them."""
    if not handouts(lesson):
        return
    row = st.container(horizontal=True, vertical_alignment="center", gap="medium")
    for name, content in handouts(lesson).items():
        row.download_button(
            t("lessons.handout", name=name), content, name, "application/gzip", on_click="ignore"
        )
    row.page_link("lab/pages/inspect.py", label=t("lessons.to_inspect"))


def _commands(lesson: Lesson) -> None:
    st.markdown(t("lessons.commands"))
    st.code(
        f"python -m lessons start {lesson.id}\npython -m lessons check {lesson.id}\n"
        f"python -m lessons check {lesson.id} --hint",
        language="bash",
    )
    with st.expander(t("lessons.exercise_file"), key=f"file-{lesson.id}"):
        st.code((lesson.folder / "exercise.py").read_text("utf-8"), language="python")
    st.checkbox(
        t("lessons.i_solved_it"), value=done_of(lesson.id).solved, key=f"solved-{lesson.id}",
        on_change=_solved, args=(lesson.id,),
    )  # fmt: skip


def _solved(lesson: str) -> None:
    note(lesson, solved=bool(st.session_state[f"solved-{lesson}"]))


def _questions(lesson: Lesson) -> None:
    """A form with all questions; behind "Check" each has its verdict."""
    known = done_of(lesson.id).answers
    in_form = [question for question in lesson.question if question.kind != "edge"]
    for question in lesson.question:
        if question.kind == "edge":
            ask_edge(lesson, question)
    if not in_form:
        return
    with st.form(f"questions-{lesson.id}"):
        given = {q.id: _field(lesson, q, known.get(q.id)) for q in in_form}
        if st.form_submit_button(t("lessons.check"), type="primary"):
            known = {**known, **given}
            note(lesson.id, answers=known)
    if not known:
        return
    verdict = check_answers(SimpleNamespace(**known), lesson)
    if locked():
        st.success(t("lessons.handed_in"))
        return
    for question, check in zip(lesson.question, verdict.checks, strict=True):
        if question.kind != "edge":
            _told(lesson, question, check)
    key = "lessons.all_right" if verdict.passed else "lessons.some_right"
    st.markdown(f"**{t(key, points=verdict.points, most=verdict.most)}**")
    if verdict.passed:
        _asked_about(lesson)
    if verdict.passed and lesson.exercise == "questions" and not done_of(lesson.id).solved:
        note(lesson.id, solved=True)


def _asked_about(lesson: Lesson) -> None:
    """The pictures of the programs that the questions were about."""
    for run in lesson.run:
        if run.program:
            with st.expander(t("lessons.asked_about", name=run.id), key=f"asked-{run.id}"):
                draw_program(lesson, run)


def _field(lesson: Lesson, question: Question, known: float | str | None) -> Any:  # noqa: ANN401
    label, key = ready(lesson, question.asked(language())), f"{lesson.id}-{question.id}"
    if question.kind == "number":
        value = known if isinstance(known, int | float) else None
        asked = t("lessons.in_unit", ask=label, unit=question.unit)
        return st.number_input(asked, value=value, key=key, step=0.1, format="%.2f", width=600)
    choices = list(lesson.choices)
    place = choices.index(known) if known in choices else None
    return st.radio(
        label, choices, index=place, key=key, horizontal=True,
        format_func=lambda name: lesson.choices[name].said(language()),
    )  # fmt: skip


def _told(lesson: Lesson, question: Question, check: Check) -> None:
    """A question's verdict; with a right answer and with a wrong one what to think of."""
    if check.message == "unanswered":
        return
    mark = ":green[✓]" if check.passed else ":orange[✗]"
    ask = ready(lesson, question.ask.said(language()))
    line = f"{mark} {ask}"
    if not check.passed:
        line += " " + for_markdown(said(lesson, check, language()))
    st.markdown(line + " " + ready(lesson, question.why.said(language())))


def _hints(lesson: Lesson) -> None:
    """The hints seen so far, and a button for the next."""
    seen = done_of(lesson.id).hints
    for number, hint in enumerate(text(lesson).hints[:seen], start=1):
        st.info(f"{number}/{HINT_COUNT} {ready(lesson, hint)}")
    st.button(
        t("lessons.next_hint", seen=seen, most=HINT_COUNT), key=f"hint-{lesson.id}",
        disabled=seen >= HINT_COUNT, on_click=_one_more, args=(lesson.id, seen),
    )  # fmt: skip


def _one_more(lesson: str, seen: int) -> None:
    note(lesson, hints=seen + 1)
