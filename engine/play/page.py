"""docs/play-the-host.md: the levels and what each teaches, written from the levels themselves."""

from engine.play.level import LEVELS, Level
from engine.play.operations import OPERATIONS, waits_in

_HEAD = """# Play the host

A page of the lab in which you are the host: you issue the operations of a few steps one by one, and
the device and the hazard checker answer at once. This page is written by
`python -m engine.play > docs/play-the-host.md`, and a test holds it to the levels.

A program is a string of keys. No operation names its batch: each takes the batches in their order.
The page's address holds level and program (`?level=two-slots&moves=wh14k`), so that a position can
be shared. Nothing is simulated for the game: a program runs from its beginning on the engine's
virtual device, whose kernels really compute, and its hazards come from the checker that judges the
engine's own runs.
"""

_ADD = """## Add a level

A level is one TOML file in `engine/play/levels/`; the number in its name is its place, the rest its
id. It needs a story, a goal, the operations allowed, three hints, a text to win, a solution, and at
least three plausible wrong programs with the reasons for which they lose. The tests play all of
them. Reasons are `token` (a word is wrong), `right` (too few are), `gap`, `waits`,
`hazard WAR host inputs` (one that is not wanted) and `no hazard WAR host inputs` (one that is).
Its texts in another language stand in the lab's catalogue (`lab/text/zh.json`), under `level.` and
its id.
"""


def levels_page() -> str:
    """The page as Markdown."""
    levels = "".join(_row(place, level) for place, level in enumerate(LEVELS.values(), 1))
    keys = "".join(f"| `{o.key}` | {o.name} | {o.queue} |\n" for o in OPERATIONS.values())
    return (
        f"{_HEAD}\n## Levels\n\n"
        "| | level | id | what it teaches | mechanism | waits in the solution |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
        f"{levels}\n## Keys\n\n| key | operation | where |\n| --- | --- | --- |\n{keys}\n{_ADD}"
    )


def _row(place: int, level: Level) -> str:
    waits = waits_in(level.start + level.solution)
    return (
        f"| {place} | {level.title} | `{level.id}` | {level.teaches} | `{level.mechanism}` "
        f"| {waits} |\n"
    )
