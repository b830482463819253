"""Where two futures of a run first differ, in words: buttons that go there."""

import streamlit as st

from engine.forks.divergence import SpanDifference, TokenDifference, WriteDifference
from engine.oplog import NONE
from lab.catalogue import t
from lab.escape import for_markdown
from lab.picture.hover import resource_text
from lab.runs import Forked
from lab.stepper.cursor import Cursor
from lab.stepper.memory import AS_TEXT, letter, numbers_text
from lab.units import exact_ms


def differences(found: Forked, cursor: Cursor) -> None:
    """A line with the first difference of each kind."""
    first = found.first
    if first.at_ns == NONE:
        st.caption(t("fork.same"))
        return
    row = st.container(horizontal=True, vertical_alignment="center", gap="small")
    row.markdown(f"**{t('fork.first')}**", width="content")
    for kind, one in (("spans", first.spans), ("memory", first.writes), ("tokens", first.tokens)):
        if one is None:
            row.caption(t(f"fork.no_{kind}"), width="content")
        else:
            row.button(
                for_markdown(_told(found, one)), key=f"fork-{kind}", on_click=cursor.go,
                args=(one.at_ns,), help=t("fork.go"),
            )  # fmt: skip


def _told(found: Forked, one: SpanDifference | WriteDifference | TokenDifference) -> str:
    ms = exact_ms(one.at_ns)
    if isinstance(one, SpanDifference):
        return t("fork.spans", ms=ms, name=one.name, step=one.step)
    if isinstance(one, TokenDifference):
        before, after = (_token(token) for token in (one.before, one.after))
        return t(
            "fork.tokens", ms=ms, request=one.request, position=one.position, before=before,
            after=after,
        )  # fmt: skip
    log = (found.fork if one.in_second else found.parent).recording.run.device.log
    info = log.buffers[one.buffer]
    before, after = (
        t("fork.not_written") if values is None else numbers_text(values, info.label in AS_TEXT)
        for values in (one.before, one.after)
    )
    return t(
        "fork.memory", ms=ms, buffer=f"{resource_text(info.resource)} {info.label}", row=one.row,
        before=before, after=after,
    )  # fmt: skip


def _token(token: int) -> str:
    return t("fork.no_token") if token == NONE else letter(token)
