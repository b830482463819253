"""Named scenes: toggles, workload, cost model and seed, and what must be seen in each.

`expect` is transcribed from the catalogue of mechanisms by hand, never generated from
runs: T wrong tokens, H hazards, G a gap of its own, I a broken invariant, M a peak above
its bound, E an error for the right requests only. `hazards` lists what the checker must
name, as (kind, resource); `cause` is the name under which the gap must appear.
"""

from dataclasses import dataclass, field


class ModeError(ValueError):
    """There is no mode of that name; the message is one sentence."""


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
    seed: int = 0


RAW_INPUTS = frozenset({("RAW", "device inputs")})
RAW_OUTPUTS = frozenset({("RAW", "device outputs")})


def _mode(
    name: str,
    group: str,
    summary: str,
    toggles: str = "",
    expect: str = "",
    hazards: frozenset[tuple[str, str]] = frozenset(),
    **scene: str,
) -> Mode:
    settings = dict(item.split("=") for item in toggles.split())
    return Mode(
        name, group, summary, settings, frozenset(expect.split()), hazards,
        **scene,  # type: ignore[arg-type]
    )  # fmt: skip


ALL = (
    _mode(
        "sync", "correct",
        "One batch at a time: the GPU waits while the host works, the host while the GPU works.",
        "depth=1",
    ),
    _mode(
        "async", "correct",
        "The host prepares batch N+1 while the device computes batch N.",
    ),
)  # fmt: skip

MODES: dict[str, Mode] = {mode.name: mode for mode in ALL}


def mode_named(name: str) -> Mode:
    """The mode of that name. Raises ModeError with the way to find the names."""
    if name not in MODES:
        raise ModeError(f"no mode {name!r}: `python -m engine modes` lists them")
    return MODES[name]
