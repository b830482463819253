"""What a mode is: toggles, workload, cost model and seed, and what must be seen in it.

`expect` holds the letters of the verdicts: T wrong tokens, H hazards, G a gap of its own,
I a broken invariant, M a peak above its bound, E an error for the right requests only.
`hazards` lists what the checker must name, as (kind, resource); `cause` is the name under
which the gap must appear. The modes themselves stand in `engine.modes.table`.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Mode:
    """A scene. `toggles` are the settings that differ from the correct async engine."""

    name: str
    group: str
    summary: str
    toggles: dict[str, str] = field(default_factory=dict)
    expect: frozenset[str] = frozenset()
    hazards: frozenset[tuple[str, str]] = frozenset()
    cause: str = ""
    workload: str = "chat"
    cost: str = "published-8b"
    seed: int = 38


def mode(
    name: str,
    group: str,
    summary: str,
    toggles: str = "",
    expect: str = "",
    *,
    hazards: str = "",
    cause: str = "",
    workload: str = "chat",
    cost: str = "published-8b",
    seed: int = Mode.seed,
) -> Mode:
    """A row of the table: "a=b c=d" for toggles, "RAW device inputs" for hazards."""
    pairs = (text.partition(" ") for text in hazards.split(",") if text)
    named = {(kind, resource) for kind, _, resource in pairs}
    settings = dict(item.split("=") for item in toggles.split())
    return Mode(
        name, group, summary, settings, frozenset(expect.split()), frozenset(named),
        cause, workload, cost, seed,
    )  # fmt: skip
