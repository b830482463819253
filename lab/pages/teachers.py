"""The page for whoever teaches the course: a link for the room, paper, predictions, grading."""

import streamlit as st

from lab.catalogue import LANGUAGES, language, t
from lab.course.for_teachers import class_guide, class_predictions, is_of_this_machine
from lab.course.state import LESSON, LOCK, PART, locked
from lab.course.text import text
from lab.timeline.state import link
from lessons.guide import lesson_guide
from lessons.loading import lessons
from lessons.texts import PARTS
from lessons.worksheet import worksheet

COMMANDS = """python -m lessons grade class/ -o grades.csv{lang}
python -m lessons predictions class/ {lesson} -o predictions.csv{lang}
python -m lessons worksheet {lesson} -o {lesson}.html{lang}"""


def page() -> None:
    """Everything that is for teachers; nothing of it where a teacher's link has pinned a lesson."""
    st.markdown(f"# {t('teachers.title')}")
    if locked():
        st.info(t("teachers.locked"))
        return
    st.caption(t("teachers.lead"))
    _how_a_class_is_run()
    lesson = _for_the_room()
    st.subheader(t("class.title"))
    class_predictions()
    st.subheader(t("teachers.grading"))
    st.markdown(t("teachers.grading_help"))
    lang = "" if language() == "en" else f" --lang {language()}"
    st.code(COMMANDS.format(lesson=lesson, lang=lang), language="bash", wrap_lines=True)


def _how_a_class_is_run() -> None:
    """The guide of the documentation, where it is at hand."""
    if text := class_guide(language()):
        with st.expander(t("teachers.class_guide"), key="teachers-class-guide"):
            st.markdown(text)


def _for_the_room() -> str:
    """A lesson's link to send, and its worksheet to print; returns the lesson."""
    st.subheader(t("teachers.room"))
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    lesson: str = row.selectbox(
        t("lessons.lesson"), list(lessons()), key="teachers-lesson", width=420,
        format_func=lambda name: f"{name} · {text(lessons()[name]).title}",
    )  # fmt: skip
    spoken: str = row.segmented_control(
        t("language.label"), list(LANGUAGES), default=language(), required=True,
        key="teachers-lang", format_func=LANGUAGES.__getitem__,
    ) or language()  # fmt: skip
    pinned = row.toggle(t("teachers.lock"), value=True, key="teachers-lock")
    query = {LESSON: lesson, "lang": spoken, PART: PARTS[0]} | ({LOCK: "1"} if pinned else {})
    base = (st.context.url or "").rsplit("/", 1)[0]
    st.code(link(f"{base}/lessons", query), language=None, wrap_lines=True)
    st.caption(t("teachers.lock_help"))
    if is_of_this_machine(base):
        st.info(t("teachers.local"))
    st.download_button(
        t("lessons.worksheet"), worksheet(lessons()[lesson], spoken),
        f"lesson-{lesson}-{spoken}.html", "text/html", key="teachers-worksheet", on_click="ignore",
    )  # fmt: skip
    with st.expander(t("teachers.lesson_guide", lesson=lesson), key="teachers-lesson-guide"):
        st.markdown(lesson_guide(lessons()[lesson], language()))
    return lesson


page()
