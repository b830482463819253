"""Whether a level is solved: its goal held against what the device and the checker say.

Reasons are words for tests and pages alike: "hazard WAR host inputs" (one that was not wanted),
"no hazard RAW device outputs" (one that was), "token", "right" (nothing is wrong, and should be),
"gap", "waits".
"""

from dataclasses import dataclass
from typing import Literal

from engine.play.level import Goal


@dataclass(frozen=True)
class Standing:
    """What can be held against a goal. `over`: every batch went all the way; `hazards` as
    "RAW device inputs"; `wrong` counts wrong tokens that the host read."""

    over: bool
    hazards: tuple[str, ...]
    wrong: int
    idle_percent: float
    waits: int


@dataclass(frozen=True)
class Verdict:
    """ "open" while nothing is decided, "won", or "lost" for all of these reasons."""

    state: Literal["open", "won", "lost"]
    reasons: tuple[str, ...] = ()


def judge(goal: Goal, standing: Standing) -> Verdict:
    """Hold a goal against how things stand. What no later operation can mend loses at once."""
    reasons = [*_beyond_mending(goal, standing)]
    if standing.over:
        reasons += _missed(goal, standing)
    if reasons:
        return Verdict("lost", tuple(reasons))
    return Verdict("won" if standing.over else "open")


def _beyond_mending(goal: Goal, standing: Standing) -> list[str]:
    """Later operations order nothing that was issued before them, and undo no read."""
    wanted = standing.hazards if goal.hazards is None else goal.hazards
    reasons = [f"hazard {hazard}" for hazard in standing.hazards if hazard not in wanted]
    if standing.wrong and not goal.wrong:
        reasons.append("token")
    if goal.waits is not None and standing.waits > goal.waits:
        reasons.append("waits")
    return reasons


def _missed(goal: Goal, standing: Standing) -> list[str]:
    """What is known once all is done."""
    reasons = [f"no hazard {h}" for h in goal.hazards or () if h not in standing.hazards]
    if standing.wrong < goal.wrong:
        reasons.append("right")
    if goal.idle_percent is not None and standing.idle_percent > goal.idle_percent:
        reasons.append("gap")
    return reasons
