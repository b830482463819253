"""What a URL asks for and the pages of a run, and the first page, do not have.

Widgets bound to the URL fall back to their default where a value makes no sense, and say
nothing. Whoever followed the link should know that this is not the run it was made for.
"""

from collections.abc import Callable, Mapping
from difflib import get_close_matches

from engine.device.cost import CostError
from engine.device.step_cost import cost_named
from engine.mechanisms.table import BY_NAME, MechanismError, parse
from engine.modes.table import MODES
from engine.workloads.presets import WORKLOADS
from lab.closing import LEAST_MS
from lab.closing import MOST_MS as MOST_STEP_MS
from lab.in_url import MOST_SHOWN
from lab.timeline.controls import (
    MOST_BATCH,
    MOST_JITTER,
    MOST_REQUESTS,
    MOST_SEED,
    MOST_STEPS,
    MOST_TIMING,
)
from lab.units import MOST_MS

LIKE = 0.82
"""From this likeness on (`difflib`, 0 to 1) a name counts as misspelt."""


def refused(query: Mapping[str, str]) -> list[str]:
    """The entries of a URL's query that cannot be used, as "name=value": values that make no
    sense, and names that a slip of the pen has made of one of ours."""
    return [
        f"{name}={value[:MOST_SHOWN]}{_meant(name)}"
        for name, value in query.items()
        if _meant(name) or not _fits(name, value)
    ]


def _meant(name: str) -> str:
    """The toggle or setting that a misspelt name is likely to stand for, as "(name?)"; "" for our
    own names, and for those that resemble none: they may be a page's own."""
    if name in BY_NAME or name in CHECKS:
        return ""
    close = get_close_matches(name.lower(), [*BY_NAME, *CHECKS], n=1, cutoff=LIKE)
    return f" ({close[0]}?)" if close else ""


def _is_toggle_value(name: str, value: str) -> bool:
    try:
        parse(name, value)
    except MechanismError:
        return False
    return True


def _fits(name: str, value: str) -> bool:
    """True for what a widget accepts, and for names that are no widget's."""
    if name in BY_NAME:
        return _is_toggle_value(name, value)
    return CHECKS[name](value) if name in CHECKS else True


def _is_cost(value: str) -> bool:
    try:
        cost_named(value)
    except CostError:
        return False
    return True


def _between(low: float, high: float, kind: type[int] | type[float]) -> Callable[[str], bool]:
    def check(value: str) -> bool:
        try:
            return low <= kind(value) <= high
        except ValueError:
            return False

    return check


CHECKS: dict[str, Callable[[str], bool]] = {
    "mode": MODES.__contains__,
    "cost": _is_cost,
    "workload": WORKLOADS.__contains__,
    "compute": ("on", "off").__contains__,
    "batch": _between(1, MOST_BATCH, int),
    "steps": _between(1, MOST_STEPS, int),
    "requests": _between(1, MOST_REQUESTS, int),
    "seed": _between(0, MOST_SEED, int),
    "jitter": _between(0, MOST_JITTER, float),
    "timing": _between(0, MOST_TIMING, int),
    "cpu": _between(LEAST_MS, MOST_STEP_MS, float),
    "gpu": _between(LEAST_MS, MOST_STEP_MS, float),
    "at": _between(0, MOST_MS, float),
    "fork_at": _between(0, MOST_MS, float),
    "look": ("fork", "parent").__contains__,
    "t0": _between(0, MOST_MS, float),
    "t1": _between(0, MOST_MS, float),
    "r0": _between(0, MOST_MS, float),
    "r1": _between(0, MOST_MS, float),
}
