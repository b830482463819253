"""The quiz on the list of lessons, before the first one and behind the last one.

Before the course only the answers are kept; which are right is told after it, with the gain.
"""

import streamlit as st

from lab.catalogue import language, t
from lab.course.state import done_of, forget, locked, note, progress
from lab.guard import one_sentence
from lessons.quiz import BEFORE, Answers, QuizQuestion, points, quiz_questions


def quiz(name: str) -> None:
    """One of the two quizzes: its questions, or what came of them."""
    with st.expander(t("quiz.before" if name == BEFORE else "quiz.after"), key=f"{name}-box"):
        with one_sentence():
            if name in progress():
                _handed_in(name)
            else:
                _questions(name)


def _questions(name: str) -> None:
    st.caption(t("quiz.help", count=len(quiz_questions())))
    with st.form(f"{name}-form"):
        given = {one.id: _field(name, one) for one in quiz_questions()}
        if st.form_submit_button(t("quiz.hand_in"), type="primary"):
            note(name, answers=given)
            st.rerun()


def _field(name: str, question: QuizQuestion) -> str | None:
    chosen: str | None = st.radio(
        question.ask.said(language()), list(question.choices), index=None,
        key=f"{name}-{question.id}",
        format_func=lambda choice: question.choices[choice].said(language()),
    )  # fmt: skip
    return chosen


def _handed_in(name: str) -> None:
    answers, most = done_of(name).answers, len(quiz_questions())
    if locked() or name == BEFORE:
        st.success(t("quiz.kept"))
    else:
        st.markdown(f"**{t('quiz.points', points=points(answers), most=most)}** {_gain(answers)}")
        for question in quiz_questions():
            _told(question, answers.get(question.id))
    st.button(t("quiz.anew"), key=f"{name}-anew", type="tertiary", on_click=forget, args=(name,))


def _gain(answers: Answers) -> str:
    """What the course has brought, where there was a quiz before it."""
    if BEFORE not in progress():
        return t("quiz.no_before")
    before = points(done_of(BEFORE).answers)
    return t("quiz.gain", before=before, gain=f"{points(answers) - before:+d}")


def _told(question: QuizQuestion, given: float | str | None) -> None:
    mark = ":green[✓]" if given == question.answer else ":orange[✗]"
    right = question.choices[question.answer].said(language())
    st.markdown(f"{mark} {question.ask.said(language())} **{t('quiz.right', right=right)}**")
    st.caption(f"{question.why.said(language())} {t('quiz.lesson', lesson=question.lesson)}")
