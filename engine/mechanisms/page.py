"""The page `docs/mechanisms.md`: every mechanism, from the tables that the lab itself reads.

python -m engine mechanisms --markdown > docs/mechanisms.md
"""

from engine.markdown_table import markdown_table
from engine.mechanisms.table import TABLE, Info
from engine.modes.mode import Mode
from engine.modes.table import MODES

HEAD = """# Every mechanism

This page is written by `python -m engine mechanisms --markdown > docs/mechanisms.md` from the
tables that the pages, the command line and the tests read; a test says when it is out of date.

Each toggle has its right value first, in bold. What is seen when it is wrong: **T** tokens differ
from the synchronous baseline, **H** a hazard, **G** a gap with this cause, **I** a broken
invariant, **M** a peak above its bound, **E** an error for the right requests alone. A *mode* is a
scene that shows it: `python -m engine run --mode NAME`, or the Timeline page with `?mode=NAME`.
"""

MODES_HEAD = """
## Every mode

What must be seen is written down by hand, and every mode is tested against it.
"""


def mechanisms_page() -> str:
    """The whole page as Markdown."""
    groups = dict.fromkeys(info.group for info in TABLE)
    parts = [HEAD, *(_group(group) for group in groups), MODES_HEAD]
    rows = (
        (f"`{mode.name}`", mode.summary, _settings(mode), mode.workload, mode.cost, _expected(mode))
        for mode in MODES.values()
    )
    heads = ("mode", "what happens", "toggles", "workload", "cost model", "seen")
    return "\n".join([*parts, markdown_table(heads, rows)]) + "\n"


def _group(group: str) -> str:
    members = [info for info in TABLE if info.group == group]
    heads = (
        "toggle", "values", "what it protects", "seen when wrong", "the same fault in the wild",
        "modes",
    )  # fmt: skip
    rows = (
        (
            f"`{info.name}`", _values(info), info.protects, info.seen_when_wrong,
            info.in_the_wild or "–", ", ".join(f"`{name}`" for name in showing(info)) or "–",
        )
        for info in members
    )  # fmt: skip
    return f"\n## {group.capitalize()}\n\n{markdown_table(heads, rows)}"


def showing(info: Info) -> list[str]:
    """Names of the modes that set a toggle to something else than its right value."""
    return [name for name, mode in MODES.items() if info.name in mode.toggles]


def _values(info: Info) -> str:
    return ", ".join([f"**{info.correct}**", *info.values[1:]])


def _settings(mode: Mode) -> str:
    return ", ".join(f"`{name}={value}`" for name, value in mode.toggles.items()) or "–"


def _expected(mode: Mode) -> str:
    letters = [letter for letter in "THGIME" if letter in mode.expect]
    hazards = sorted(f"{kind} {resource}" for kind, resource in mode.hazards)
    named = [*hazards, *([f"gap: {mode.cause}"] if mode.cause else [])]
    return " ".join(letters) + (f" ({'; '.join(named)})" if named else "") or "nothing wrong"
