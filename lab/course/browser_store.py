"""Keeps the course's progress in the browser (localStorage), so that a reload loses nothing.

The session's progress leads. A browser that has some from before hands it in once, when the
session has none of its own.
"""

from typing import Final
from uuid import uuid4

import streamlit as st

from lessons.progress import NAME

SESSION: Final = "course-session"
SCRIPT = """
let handed = "";
export default function ({ data, setStateValue }) {
  const store = (() => { try { return window.localStorage; } catch { return null; } })();
  if (!store) return;
  const before = store.getItem(data.place) ?? "";
  if (!data.begun && before && handed !== data.session) {
    handed = data.session;
    setStateValue("before", before);
  } else if (data.begun && data.text !== before) {
    store.setItem(data.place, data.text);
  }
}
"""

_component = st.components.v2.component("course_progress", html="<i hidden></i>", js=SCRIPT)


def browser_store(text: str, begun: bool) -> str:
    """Write `text` to the browser where the session has `begun`; returns what the browser had from
    before ("" for nothing)."""
    session = st.session_state.setdefault(SESSION, uuid4().hex)
    data = {"text": text, "begun": begun, "place": NAME, "session": session}
    found = _component(data=data, key="course-progress-store", on_before_change=lambda: None)
    return str(found.get("before") or "")
