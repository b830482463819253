"""From a finding to where its mechanism is shown: a scene of the Timeline page, and a lesson. And
from a saved run back to its scene.

Which scene that is follows from the tables: it is the one whose gap bears a cause that the same
rule explains. With the times of a step of the reader's own trace the scene runs on these. The
lesson is the one most of whose scenes show that mode or let the learner switch its mechanism; so a
new lesson is found as soon as there is one.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from engine.mechanisms.table import BY_NAME
from engine.modes.mode import Mode
from engine.modes.table import MODES
from lab.timeline.address import refused
from lab.timeline.state import mode_toggles
from lessons.lesson import Lesson, Scene
from lessons.loading import lessons
from traces.finding_rules import rule_of

LONG_NS = 1 << 62


@cache
def scene_of(rule: str, mechanism: str) -> Mode | None:
    """The scene for a rule and its mechanism ("toggle=right value"); None without a mechanism.

    A mechanism whose right value the engine does not have by default (graphs) is shown switched on.
    """
    name, _, right = mechanism.partition("=")
    if not mechanism:
        return None
    shows = [mode for mode in MODES.values() if name in mode.toggles]
    if right != BY_NAME[name].correct:
        shows = [mode for mode in shows if mode.toggles[name] == right]
    own = [mode for mode in shows if mode.cause and rule_of(mode.cause, LONG_NS).name == rule]
    gaps = [mode for mode in shows if mode.cause]  # before scenes that show a race
    return min(own or gaps or shows, key=lambda mode: len(mode.toggles), default=None)


@cache
def lesson_of(rule: str, mechanism: str) -> Lesson | None:
    """The lesson for a rule and its mechanism, the earlier of two that fit alike; None without."""
    mode = scene_of(rule, mechanism)
    if mode is None:
        return None
    toggle = mechanism.partition("=")[0]
    shares = {lesson: _share(lesson, mode.name, toggle) for lesson in lessons().values()}
    best = max(shares, key=lambda lesson: (shares[lesson], -lesson.order), default=None)
    return best if best and shares[best] else None


def _share(lesson: Lesson, mode: str, toggle: str) -> float:
    """The share of a lesson's scenes that are of a mode or have a toggle to switch."""

    def is_about(scene: Scene) -> bool:
        return scene.mode == mode or toggle in scene.switches

    return sum(map(is_about, lesson.scene)) / len(lesson.scene)


def timeline_query(scene: str, step: str = "") -> dict[str, str]:
    """The Timeline page's URL parameters for a scene, on the times of a step where given."""
    return {"mode": scene} | ({"cost": step} if step else {})


def run_query(run: Mapping[str, Any]) -> dict[str, str] | None:
    """The Timeline page's URL parameters for the run that a trace of this lab says it holds
    (`engine.config.described`); None where that page cannot show it: on another device or model,
    forked, with a cost model or workload of its own, or described by no run of ours."""
    mode, toggles = MODES.get(str(run.get("mode"))), run.get("toggles", {})
    if mode is None or run.get("device", "virtual") != "virtual" or {"model", "fork"} & set(run):
        return None
    plain = {name: info.correct for name, info in BY_NAME.items()}
    values = plain | {name: str(value) for name, value in toggles.items()}
    own = {"workload": mode.workload, "cost": mode.cost, "seed": mode.seed, "jitter": 0.0}
    numbers = ("cost", "workload", "steps", "requests", "seed", "timing")
    asked = {name: run[name] for name in numbers if run.get(name) is not None}
    asked["jitter"] = run.get("jitter_percent", 0.0)
    query = {name: value for name, value in values.items() if value != mode_toggles(mode).get(name)}
    query |= {name: str(value) for name, value in asked.items() if value != own.get(name)}
    query = {"mode": mode.name} | query
    return None if refused(query) else query
