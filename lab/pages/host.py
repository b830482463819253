"""The Play page: the learner is the host, and the device and the hazard checker answer at once."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from engine.play import LEVELS, Level, Position
from engine.play.operations import waits_in
from lab.catalogue import language, t, t_or
from lab.escape import for_markdown
from lab.in_url import by_history, say_all_in_url
from lab.picture.view import show_timeline
from lab.play.buttons import buttons_of, hints, operations
from lab.play.picture import position_picture
from lab.play.progress import NAME, bring_back, dumped
from lab.play.state import PARAMETERS, Game, current_game, number
from lab.play.tables import memory_html, program_html
from lab.play.words import (
    answer_text,
    facts_text,
    fix_text,
    hazard_text,
    short,
    verdict_text,
)
from lab.presses import Button, act_upon
from lab.progress_file import progress_file
from lab.stepper.html import boxed, side_by_side
from lab.timeline.state import link

SAY = {"open": st.info, "won": st.success, "lost": st.error}


def page() -> None:
    """Level and goal, the operations, what came of them, and the state of everything."""
    game = current_game()
    buttons = buttons_of(game)
    if by_history():
        game.follow(st.query_params)
    act_upon(game.presses, "host", buttons.values())
    position = game.position()
    st.markdown(f"# {t('host.title')}")
    st.caption(t("host.lead"))
    _choose_level(game, buttons)
    say_all_in_url(game.query(), PARAMETERS)
    _story(position.level)
    operations(position, buttons)
    hints(game, position, buttons)
    _outcome(game, position)
    _state(position)
    _take_along(game)


def _choose_level(game: Game, buttons: Mapping[str, Button]) -> None:
    """The list of levels. Each level has a list of its own, and another one in each language and
    once a level is solved, for its name is then written otherwise: when one comes by key, the
    browser may still tell of the list before, and that must not count."""
    here = game.level
    key = f"host-level-{here}-{len(game.solved)}-{language()}"

    def name(level: str) -> str:
        title = t_or(f"level.{level}.title", LEVELS[level].title)
        mark = t("host.solved_mark") if level in game.solved else ""
        return t("host.level_name", number=number(LEVELS[level]), title=title, mark=mark)

    def choose() -> None:
        chosen = st.session_state[key]
        if game.level == here and chosen in LEVELS:
            game.go_to(chosen)

    row = st.container(horizontal=True, vertical_alignment="bottom")
    row.selectbox(
        t("host.level"), [*LEVELS], index=[*LEVELS].index(game.level), format_func=name, key=key,
        width=420, on_change=choose, filter_mode=None,
    )  # fmt: skip
    buttons["next"].show(row, t("host.next"))
    solved = t("host.solved_count", solved=len(game.solved), count=len(LEVELS))
    row.caption(solved, width="content")


def _story(level: Level) -> None:
    def text(part: str, source: str) -> str:
        return for_markdown(t_or(f"level.{level.id}.{part}", source), 2000)

    with st.container(border=True):
        st.markdown(text("story", level.story))
        st.markdown(f"**{t('host.goal')}:** {text('goal_text', level.goal_text)}")


def _outcome(game: Game, position: Position) -> None:
    """The verdict, the sentence on the last operation, and every hazard by name."""
    verdict, said = verdict_text(position), _said(game, position)
    SAY[position.verdict.state](f"**{for_markdown(verdict, 500)}** {for_markdown(said, 500)}")
    for hazard in position.hazards:
        told = for_markdown(hazard_text(position, hazard), 500)
        st.markdown(f":red[**{told}**] {fix_text(position, hazard)}")
    if position.verdict.state == "won":
        _won(position)


def _said(game: Game, position: Position) -> str:
    """What there is to say of what was just done: why it could not be, or what came of it."""
    last = [place for place, step in enumerate(position.steps) if not step.refused][-1:]
    return game.refused or (answer_text(position, last[0]) if last else t("host.program_empty"))


def _won(position: Position) -> None:
    level = position.level
    with st.container(border=True):
        st.markdown(for_markdown(t_or(f"level.{level.id}.win", level.win), 2000))
        teaches = t_or(f"level.{level.id}.teaches", level.teaches)
        st.markdown(
            t("host.teaches", teaches=for_markdown(teaches), mechanism=level.mechanism)
            + "  \n"
            + t(
                "host.reference", solution=level.start + level.solution,
                length=len(level.start + level.solution),
                waits=waits_in(level.start + level.solution),
                own=len(level.start + position.moves), own_waits=position.waits,
            )
        )  # fmt: skip


def _state(position: Position) -> None:
    """The picture, and what program, words and buffers are like now."""
    st.caption(facts_text(position))
    alt = t("host.alt", now=short(position.now_ns))
    show_timeline(position_picture(position), "host-picture", alt, slots=True)
    st.html(boxed(side_by_side((memory_html(position), program_html(position)))))
    st.caption(t("host.buffers_help"))


def _take_along(game: Game) -> None:
    """The position as a link, the progress as a file."""
    row = st.container(horizontal=True)
    with row.popover(t("head.link")):
        st.caption(t("host.link_help"))
        st.code(link(st.context.url or "", game.query()), language=None, wrap_lines=True)
    with row.popover(t("progress.title")):
        st.caption(t("host.progress_help"))
        progress_file("host-progress", partial(dumped, game), NAME, partial(bring_back, game))


page()
