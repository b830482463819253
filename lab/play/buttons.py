"""The Play page's buttons: the operations of a level, the ways back, and the hints."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from engine.play import OPERATIONS, Position
from lab.catalogue import t, t_or
from lab.escape import for_markdown
from lab.play.state import Game
from lab.play.words import button_text, queue_name
from lab.presses import Button


def buttons_of(game: Game) -> dict[str, Button]:
    """What can be pressed, by name. The operations of all levels are among them: keys of the next
    level may be pressed before it is drawn."""
    keys = [Button(f"host-{key}", key.upper(), partial(game.press, key)) for key in OPERATIONS]
    others = (
        Button("host-next", "N", game.go_on),
        Button("host-undo", "Backspace", game.undo, repeats=True),
        Button("host-reset", "Delete", game.reset),
        Button("host-hint", "T", game.show_hint),
    )
    return {button.key.removeprefix("host-"): button for button in (*keys, *others)}


def operations(position: Position, buttons: Mapping[str, Button]) -> None:
    """A row for the host and for each queue."""
    for queue in dict.fromkeys(operation.queue for operation in OPERATIONS.values()):
        keys = [
            key for key, operation in OPERATIONS.items()
            if operation.queue == queue and key in position.level.allowed
        ]  # fmt: skip
        if keys:
            row = st.container(horizontal=True, vertical_alignment="center", gap="xsmall")
            row.markdown(f"**{for_markdown(queue_name(position, queue))}**", width=200)
            for key in keys:
                buttons[key].show(row, button_text(position, key))


def hints(game: Game, position: Position, buttons: Mapping[str, Button]) -> None:
    """The ways back in a row with the next hint, and the hints so far."""
    row = st.container(horizontal=True, gap="xsmall")
    for name in ("undo", "reset"):
        buttons[name].show(row, t(f"host.{name}"), disabled=not position.moves)
    shown = game.hints.get(game.level, 0)
    if shown < len(position.level.hints):
        buttons["hint"].show(row, t("host.hint_more", number=shown + 1), type="tertiary")
    for place, hint in enumerate(position.level.hints[:shown]):
        text = t_or(f"level.{position.level.id}.hint_{place + 1}", hint)
        st.markdown(f"*{t('host.hint', number=place + 1)}:* {for_markdown(text, 500)}")
