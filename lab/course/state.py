"""Where a learner is in the course: lesson and part in the URL, progress in the session."""

from typing import Final

import streamlit as st

from lab.course.browser_store import browser_store
from lessons.loading import lessons
from lessons.prediction import is_an_answer
from lessons.progress import Done, dumped, loaded
from lessons.progress_file import ProgressError
from lessons.texts import PARTS

LESSON: Final = "lesson"
PART: Final = "part"
LOCK: Final = "lock"
PROGRESS: Final = "course-progress"
BEGUN: Final = "course-begun"
"""Whether this session's progress leads, and the browser's is of the past."""


def progress() -> dict[str, Done]:
    """The session's progress, by lesson."""
    found: dict[str, Done] = st.session_state.setdefault(PROGRESS, {})
    return found


def done_of(lesson: str) -> Done:
    """What was done of a lesson."""
    return progress().get(lesson, Done())


def note(lesson: str, **changes: object) -> None:
    """Callback: write down what was done of a lesson."""
    known = progress().setdefault(lesson, Done())
    for name, value in changes.items():
        setattr(known, name, value)
    st.session_state[BEGUN] = True


def forget(*names: str) -> None:
    """Callback: begin these lessons anew."""
    for name in names:
        progress().pop(name, None)
    st.session_state[BEGUN] = True


def bring_back(data: str | bytes) -> None:
    """Take progress over, without predictions that answer nothing. Raises ProgressError."""
    found = loaded(data)
    for name, done in found.items():
        known = name not in lessons() or is_an_answer(lessons()[name], done.predicted)
        done.predicted = done.predicted if known else None
    st.session_state[PROGRESS] = found
    st.session_state[BEGUN] = True


def keep_in_browser() -> None:
    """Write progress to the browser, or take what it has from before."""
    begun = bool(st.session_state.get(BEGUN))
    before = browser_store(dumped(progress()), begun)
    if before and not begun:
        try:
            bring_back(before)
        except ProgressError:  # of another version, or damaged: begin anew
            st.session_state[BEGUN] = True
        st.rerun()


def locked() -> bool:
    """Whether a teacher's link (`lock=1`) has pinned the lesson and hidden the answers."""
    if st.query_params.get(LOCK) == "1":
        st.session_state[LOCK] = True
    return bool(st.session_state.get(LOCK))


def go_to(lesson: str, part: str) -> None:
    """Callback: open a part of a lesson."""
    st.session_state[LESSON], st.session_state[PART] = lesson, part


def neighbour(lesson: str, part: str, step: int) -> tuple[str, str] | None:
    """The part before or behind, across lessons where they are not pinned; None at the ends."""
    place = PARTS.index(part) + step
    if 0 <= place < len(PARTS):
        return lesson, PARTS[place]
    known = list(lessons())
    beside = known.index(lesson) + step
    if locked() or not 0 <= beside < len(known):
        return None
    return known[beside], PARTS[0 if step > 0 else -1]
