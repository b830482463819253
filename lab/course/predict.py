"""The first part of a lesson: an answer is given and kept before anything is shown; and in the
second part, at the scene that the question was about, what the run says to it."""

import streamlit as st

from lab.catalogue import language, t
from lab.course.state import done_of, go_to, locked, note
from lab.course.text import ready, text
from lab.units import rounded
from lessons.lesson import Lesson
from lessons.prediction import is_right, right_choice, truth, unit_of

ASKED = "◎"
"""Stands on the button of the scene that the question was about."""


def ask(lesson: Lesson) -> None:
    """The question, and the answer once it is given."""
    words, done = text(lesson), done_of(lesson.id)
    st.markdown(ready(lesson, words.parts["predict"]))
    key = f"predict-{lesson.id}"
    given = _field(lesson, key, done.predicted)
    if done.predicted is not None:
        st.success(t("lessons.predicted"), icon="🔒")
        st.button(t("lessons.to_see"), type="primary", on_click=go_to, args=(lesson.id, "see"))
        return
    row = st.container(horizontal=True)
    row.button(
        t("lessons.lock_in"), type="primary", key=f"{key}-go", disabled=given is None,
        on_click=_lock_in, args=(lesson.id, given),
    )  # fmt: skip
    row.button(
        t("lessons.skip"), type="tertiary", key=f"{key}-skip", on_click=_skip, args=(lesson.id,)
    )


def _field(lesson: Lesson, key: str, known: float | None) -> float | None:
    """The choices or the number; what is given in it now."""
    predict, spoken = lesson.predict, text(lesson)
    if predict.kind == "number":
        return st.number_input(
            t("lessons.your_number", unit=predict.unit), value=known, key=key, step=0.1,
            format="%.1f", disabled=known is not None, width=260,
        )  # fmt: skip
    places = list(range(len(spoken.choices)))
    chosen = st.radio(
        t("lessons.your_choice"), places, index=None if known is None else int(known), key=key,
        format_func=lambda place: ready(lesson, spoken.choices[place]),
        disabled=known is not None,
    )  # fmt: skip
    return None if chosen is None else float(chosen)


def _lock_in(lesson: str, given: float) -> None:
    note(lesson, predicted=given)
    go_to(lesson, "see")


def _skip(lesson: str) -> None:
    note(lesson, skipped=True)
    go_to(lesson, "see")


def reveal(lesson: Lesson) -> None:
    """What was predicted, beside what the run says. A teacher's lock keeps the verdict back."""
    predicted = done_of(lesson.id).predicted
    if predicted is None or locked():
        st.caption(t("lessons.asked_here", mark=ASKED))
        return
    value, unit = truth(lesson), unit_of(lesson, language())
    if lesson.predict.kind == "choice":
        choices = text(lesson).choices
        said = ready(lesson, choices[int(predicted)]).rstrip(".。")
        right_one = ready(lesson, choices[right_choice(lesson)]).rstrip(".。")
        found = t("lessons.found", value=f"{rounded(value, 4)} {unit}", choice=right_one)
    else:
        said, found = (f"{number:,.1f} {unit}" for number in (predicted, value))
    right = is_right(lesson, predicted)
    key = "lessons.was_right" if right else "lessons.was_wrong"
    (st.success if right else st.info)(f"{ASKED} {t(key, said=said, found=found)}")
