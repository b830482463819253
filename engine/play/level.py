"""A level is data: a story, a device, what may be done, the goal, and solutions that try it.

Each level is a TOML file in `levels/`, in the order of their names. What a level needs of the
device is said in the toggles of `engine.mechanisms.table`; times are in ms.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.device.cost import MS, CostModel
from engine.mechanisms.table import BY_NAME, Mechanisms
from engine.play.operations import OPERATIONS
from engine.play.sentences import GROUPS, LENGTH

FOLDER = Path(__file__).parent / "levels"

RESOURCES = ("host inputs", "device inputs", "device outputs", "host outputs")
"""What a slot has a buffer of each."""

TIMES = {
    "write": 1.0, "read": 1.0, "compute": 6.0, "copy_in": 1.0, "copy_out": 0.5, "swap_in": 1.0,
}  # fmt: skip
"""How long things take (ms) where a level does not say; `swap_in` is for a batch's blocks."""

HOST_WORK = {
    "write": "write inputs", "placeholder": "write placeholders", "read": "read results",
}  # fmt: skip
"""What the picture calls the host's own work, by the operation's name: as its button does."""

LAUNCH_MS, EVENT_MS = 0.02, 0.005


class LevelError(ValueError):
    """A level that cannot be played; the message is one sentence."""


@dataclass(frozen=True)
class Goal:
    """What must hold once every batch has been read.

    `hazards` are exactly those wanted, as "WAR device inputs" (None: whatever there is);
    `wrong` is the least number of wrong tokens wanted, where 0 wants every token right;
    `idle_percent` the most of the time between first and last kernel in which none runs;
    `waits` the most operations that make somebody wait.
    """

    hazards: tuple[str, ...] | None = ()
    wrong: int = 0
    idle_percent: float | None = None
    waits: int | None = None


@dataclass(frozen=True)
class Attempt:
    """A plausible program that does not solve the level, and the reasons for which it fails."""

    moves: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Level:
    """One level. `batches` names the group of requests that each batch serves; `resident` the
    groups whose KV blocks are on the device at the start. `shared` lists resources of which all
    slots have one buffer. `start` has been done when the level begins."""

    id: str
    title: str
    mechanism: str
    teaches: str
    story: str
    goal_text: str
    win: str
    hints: tuple[str, ...]
    allowed: str
    goal: Goal
    solution: str
    wrong: tuple[Attempt, ...]
    batches: tuple[int, ...] = (0,)
    slots: int = 1
    shared: tuple[str, ...] = ()
    resident: tuple[int, ...] | None = None
    start: str = ""
    setup: Mapping[str, str] = field(default_factory=dict)
    times: Mapping[str, float] = field(default_factory=dict)

    @property
    def mechanisms(self) -> Mechanisms:
        """The toggles by which the device is set up."""
        return Mechanisms().with_settings(self.setup)

    @property
    def groups_on_device(self) -> tuple[int, ...]:
        """Groups whose KV blocks are on the device at the start."""
        return tuple(dict.fromkeys(self.batches)) if self.resident is None else self.resident

    @property
    def cost(self) -> CostModel:
        """How long everything takes. Copies and kernels do not slow each other down."""
        ns = {name: round(ms * MS) for name, ms in {**TIMES, **self.times}.items()}
        return CostModel(
            name=self.id,
            host_ns={
                HOST_WORK["write"]: ns["write"],
                HOST_WORK["placeholder"]: ns["write"],
                HOST_WORK["read"]: ns["read"],
            },
            kernel_ns={
                "carry": ns["compute"] // 20,
                "layer": ns["compute"] - 2 * (ns["compute"] // 20),
                "sample": ns["compute"] // 20,
            },
            h2d_ns=ns["copy_in"],
            d2h_ns=ns["copy_out"],
            kv_block_ns=ns["swap_in"] // 4,
            launch_ns=round(LAUNCH_MS * MS),
            event_ns=round(EVENT_MS * MS),
            kernel_bandwidth=0,
            copy_bandwidth=0,
        )


def read_level(text: str, name: str) -> Level:
    """A level from TOML. Raises LevelError with one sentence."""
    try:
        data = tomllib.loads(text)
        goal = {key: _frozen(value) for key, value in data.pop("goal", {}).items()}
        if goal.get("hazards") == "any":
            goal["hazards"] = None
        wrong = tuple(
            Attempt(_moves(entry["moves"]), tuple(entry["reasons"])) for entry in data.pop("wrong")
        )
        for key in ("allowed", "solution", "start"):
            data[key] = _moves(data.get(key, ""))
        frozen = {key: _frozen(value) for key, value in data.items()}
        level = Level(id=name, goal=Goal(**goal), wrong=wrong, **frozen)
    except (tomllib.TOMLDecodeError, TypeError, KeyError) as error:
        raise LevelError(f"level {name} cannot be read: {error}") from error
    _check(level)
    return level


def _moves(text: str) -> str:
    """A program without the blanks that make it readable."""
    return "".join(text.split())


def _frozen(value: Any) -> Any:  # noqa: ANN401 - whatever TOML holds
    if isinstance(value, list):
        return tuple(value)
    return value.strip() if isinstance(value, str) else value


def _check(level: Level) -> None:
    """Raise LevelError for what would only show while it is played."""
    programs = (level.allowed, level.start, level.solution, *(a.moves for a in level.wrong))
    unknown = sorted(set("".join(programs)) - set(OPERATIONS))
    longest = max(level.batches.count(group) for group in level.batches)
    faults = (
        (unknown, f"there is no operation {unknown[0] if unknown else ''!r}"),
        (level.mechanism not in BY_NAME, f"there is no mechanism {level.mechanism!r}"),
        (set(level.shared) - set(RESOURCES), f"shared must be some of {', '.join(RESOURCES)}"),
        (set(level.times) - set(TIMES), f"times must be some of {', '.join(TIMES)}"),
        (not all(0 <= group < GROUPS for group in level.batches), f"groups are 0 to {GROUPS - 1}"),
        (longest >= LENGTH, f"a group can be served {LENGTH - 1} times at most"),
        (len(level.hints) != 3, "there must be three hints"),
    )
    for fault, says in faults:
        if fault:
            raise LevelError(f"level {level.id} cannot be played: {says}")


def _all_levels() -> dict[str, Level]:
    """The levels by id, in the order of their files ("03-wait-compute.toml")."""
    levels = {}
    for path in sorted(FOLDER.glob("*.toml")):
        name = path.stem.partition("-")[2]
        levels[name] = read_level(path.read_text("utf-8"), name)
    return levels


LEVELS: dict[str, Level] = _all_levels()
