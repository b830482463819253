"""From a finding to the Timeline page: the scene that shows its mechanism switched the wrong way.

Which scene that is follows from the tables: it is the one whose gap bears a cause that the same
rule explains. With the times of a step of the reader's own trace the scene runs on these.
"""

from functools import cache

from engine.mechanisms.table import BY_NAME
from engine.modes.mode import Mode
from engine.modes.table import MODES
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


def timeline_query(scene: str, step: str = "") -> dict[str, str]:
    """The Timeline page's URL parameters for a scene, on the times of a step where given."""
    return {"mode": scene} | ({"cost": step} if step else {})
