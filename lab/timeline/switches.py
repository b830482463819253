"""The panel "What is switched": every toggle off its usual value, what came of it, the way back.

The wording is the engine's (`engine.mechanisms.switched`): page and command line say the same.
"""

from collections.abc import Sequence

import streamlit as st

from engine.mechanisms.switched import Switched
from lab.catalogue import t, t_or
from lab.escape import for_markdown
from lab.picture.hover import worded
from lab.study import Study
from lab.timeline.controls import put_back

LONGEST = 600


def switched_panel(run: Study) -> None:
    """Nothing for a correct run; else a row a toggle."""
    rows, unclaimed = run.switched
    if not rows:
        return
    with st.container(border=True, gap="xsmall", key="switched"):
        st.markdown(f"**{t('switched.title')}**")
        for row in rows:
            _row(row)
        if unclaimed:
            st.markdown(t("switched.unclaimed", seen=for_markdown(_all_of(unclaimed), LONGEST)))


def _row(row: Switched) -> None:
    words, way_back = st.columns([6, 1.4], vertical_alignment="center")
    words.markdown(_told(row))
    label = t("switched.usual", value=row.correct) if row.is_choice else t("switched.button")
    way_back.button(
        label, key=f"put-back-{row.name}", on_click=put_back, args=(row.name,), width="stretch"
    )  # fmt: skip


def _told(row: Switched) -> str:
    """What is set, what the right value protects, what is usually seen, and what is seen here."""
    protects = for_markdown(t_or(f"mechanism.{row.name}.protects", row.protects), LONGEST)
    wrong = t_or(f"mechanism.{row.name}.wrong", row.when_wrong)
    parts = [
        t(
            "switched.choice" if row.is_choice else "switched.row",
            setting=row.setting,
            correct=row.correct,
            protects=protects,
        ),
        t("switched.wrong", wrong=for_markdown(wrong, LONGEST))
        if wrong and not row.is_choice
        else "",
        t(_seen_key(row), seen=for_markdown(_all_of(row.seen) or worded(row.nothing), LONGEST)),
        t("switched.scene", scene=row.scene) if row.scene and not row.seen else "",
        "" if row.is_choice else t("switched.put_back", setting=row.put_back),
    ]
    return " ".join(part for part in parts if part)


def _all_of(sentences: Sequence[str]) -> str:
    return t("list.next").join(map(worded, sentences))


def _seen_key(row: Switched) -> str:
    """One switch alone has caused what is seen; of several each may have."""
    if not row.seen:
        return "switched.seen_nothing"
    return "switched.seen_something" if row.alone else "switched.seen_possible"
