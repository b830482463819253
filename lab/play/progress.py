"""The Play page's progress as a file: the solved levels, and the learner's programs."""

from typing import Final

import msgspec

from engine.play import LEVELS
from lab.play.state import MOST_MOVES, Game
from lessons.lesson import Words
from lessons.progress_file import read, written

NAME: Final = "overlap-lab-play"
"""The file's name, without its ending; the course's progress has another."""

VERSION: Final = 1

NO_PROGRESS = Words(
    "this file holds no progress of Play the host: choose one that this page has saved",
    "这个文件里没有“扮演主机”的进度：请选择由本页保存的文件",
)


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """Solved levels in their order, and programs by level."""

    version: int
    solved: list[str]
    programs: dict[str, str]


def dumped(game: Game) -> str:
    """A game's progress as JSON."""
    solved = [level for level in LEVELS if level in game.solved]
    return written(_File(VERSION, solved, dict(game.programs)))


def bring_back(game: Game, data: str | bytes) -> None:
    """Take progress over in place of the game's own; levels that the lab does not have are left
    out. Raises ProgressError."""
    file = read(data, _File, VERSION, NO_PROGRESS)
    programs = {name: moves[:MOST_MOVES] for name, moves in file.programs.items() if name in LEVELS}
    game.take_over(set(file.solved) & LEVELS.keys(), programs)
