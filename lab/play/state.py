"""What the Play page remembers of a learner: the level, the program, what was solved, and how.

Presses change a `Game` and nothing else. Streamlit may end a run wherever it touches the session's
state, if something was pressed meanwhile, and would lose a press half acted upon; a widget bound
to the program would bring back what the browser last heard of. So the page also writes the URL
itself, by which a position can be shared and a reload loses nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import streamlit as st

from engine.play import LEVELS, Level, Position, play
from lab.in_url import MOST_SHOWN, say_in_vain
from lab.play.words import answer_text
from lab.presses import Presses

KEY: Final = "play-game"
PARAMETERS = LEVEL, MOVES, SOLVED = "level", "moves", "solved"
"""Those of the URL."""

MOST_MOVES = 200
"""A longer program in a URL is cut; no level needs a fourth of it."""


@dataclass(eq=False)
class Game:
    """One learner's game. `programs` and `hints` go by level; `refused` says why what
    was asked for last was not possible, "" where it was.

    Several operations may be asked for before they are carried out. What is impossible among them
    is left out then, so whatever else is pressed begins with carrying out."""

    level: str
    moves: str = ""
    refused: str = ""
    solved: set[str] = field(default_factory=set)
    programs: dict[str, str] = field(default_factory=dict)
    hints: dict[str, int] = field(default_factory=dict)
    presses: Presses = field(default_factory=Presses)

    def press(self, key: str) -> None:
        """One more operation. Whether it is possible shows when it is carried out."""
        with self.presses.lock:
            self.moves += key

    def undo(self) -> None:
        """The last operation is taken back."""
        with self.presses.lock:
            self.moves = self.position().moves[:-1]

    def reset(self) -> None:
        """Back to the level's start."""
        with self.presses.lock:
            self.position()
            self.moves = ""

    def go_on(self) -> None:
        """To the level behind this one."""
        names = [*LEVELS]
        with self.presses.lock:
            self.go_to(names[(names.index(self.level) + 1) % len(names)])

    def go_to(self, level: str) -> None:
        """To a level; its program, if there is one, comes back."""
        with self.presses.lock:
            self.position()
            self.level, self.refused = level, ""
            self.moves = self.programs.get(level, "")

    def show_hint(self) -> None:
        """One more hint, where there is one."""
        most = len(LEVELS[self.level].hints)
        self.hints[self.level] = min(self.hints.get(self.level, 0) + 1, most)

    def position(self) -> Position:
        """Carry the program out. What is not possible is left out of it, and told."""
        with self.presses.lock:
            position = play(LEVELS[self.level], self.moves)
            if self.moves != self.programs.get(self.level):
                refused = [place for place, step in enumerate(position.steps) if step.refused]
                self.refused = answer_text(position, refused[-1]) if refused else ""
            self.moves = self.programs[self.level] = position.moves
            if position.verdict.state == "won":
                self.solved.add(self.level)
            return position

    def query(self) -> dict[str, str]:
        """The URL's parameters that lead here."""
        solved = (number(level) for level in LEVELS.values() if level.id in self.solved)
        entries = {LEVEL: self.level, MOVES: self.moves, SOLVED: ".".join(solved)}
        return {name: value for name, value in entries.items() if value}

    def follow(self, query: Mapping[str, str]) -> None:
        """To the position that a URL describes, as the browser's history brings one back. What
        was solved stays so."""
        there = new_game(query)
        with self.presses.lock:
            self.go_to(there.level)
            self.moves = there.moves
            self.solved |= there.solved

    def take_over(self, solved: set[str], programs: dict[str, str]) -> None:
        """Other progress in place of this; the level stays."""
        with self.presses.lock:
            self.solved, self.programs, self.refused = solved, programs, ""
            self.moves = programs.get(self.level, "")


def new_game(query: Mapping[str, str]) -> Game:
    """The game that a URL describes; what it says in vain is left out."""
    wanted = query.get(LEVEL, "")
    level = wanted if wanted in LEVELS else next(iter(LEVELS))
    solved = query.get(SOLVED, "").split(".")
    known = {level.id for level in LEVELS.values() if number(level) in solved}
    return Game(level, query.get(MOVES, "")[:MOST_MOVES], solved=known)


def current_game() -> Game:
    """This session's game. A level that the URL asks for in vain is told, once."""
    if KEY not in st.session_state:
        query = st.query_params.to_dict()
        st.session_state[KEY] = new_game(query)
        if query.get(LEVEL) not in (None, *LEVELS):
            say_in_vain([f"{LEVEL}={query[LEVEL][:MOST_SHOWN]}"])
    game: Game = st.session_state[KEY]
    return game


def number(level: Level) -> str:
    """A level's place in their order, from 1."""
    return str([*LEVELS].index(level.id) + 1)
