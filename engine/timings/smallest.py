"""The smallest change of one duration that makes a hidden race visible.

A race whose tokens come out right is only hidden: some copy or kernel happens to be quick, or
slow, enough. Each duration of the cost model in turn is made longer and shorter, by more and
more, until tokens come out wrong; then the threshold is narrowed to one percent. A shorter and a
longer duration by the same percentage count as equally large changes.

What this module does not do: change several durations at once, or prove that no smaller change
would do: between two rungs of the ladder a race may show and hide again.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from engine.config import RunConfig
from engine.device.cost import CostModel
from engine.device.durations import scaled, single_durations
from engine.device.recalled import Recall
from engine.oplog import NONE
from engine.timings.explore import first_wrong_step, truth_of

LADDER = (5, 10, 20, 35, 50, 75, 95, 150, 250, 400, 900)
"""Percentages tried, in this order; nothing is made shorter by 100 percent or more."""


@dataclass(frozen=True, slots=True)
class Change:
    """One duration, longer by so many percent (or shorter, where negative). 0: as it is."""

    duration: str
    percent: int

    def apply(self, config: RunConfig) -> RunConfig:
        """The configuration with this change, without jitter."""
        cost = self.cost(config.cost) if self.percent else config.cost
        return replace(config, cost=cost, jitter_percent=0.0, timing=0)

    def cost(self, cost: CostModel) -> CostModel:
        """The cost model with this change."""
        return scaled(cost, self.duration, Fraction(100 + self.percent, 100))

    @property
    def factor(self) -> str:
        """The change as a fork takes it: "0.16x"."""
        return f"{(100 + self.percent) / 100:g}x"


@dataclass(frozen=True, slots=True)
class Search:
    """How far a search is: `tried` runs, the percentage tried now, and what was found."""

    tried: int
    percent: int
    found: Change | None = None


def smallest_change(config: RunConfig) -> Iterator[Search]:
    """Search; yields behind each run. The last one has the change, if there is any."""
    truth = truth_of(config)
    recall: Recall = {}
    tried = 0

    def shows(change: Change) -> bool:
        return first_wrong_step(change.apply(config), truth, recall) != NONE

    if shows(Change("", 0)):
        yield Search(1, 0, Change("", 0))
        return
    below = 0
    for percent in LADDER:
        visible: list[Change] = []
        for change in _changes(config.cost, percent):
            tried += 1
            if shows(change):
                visible.append(change)
            yield Search(tried, percent)
        if visible:
            narrowed = [_narrowed(change, below, shows) for change in visible]
            found = min(narrowed, key=lambda change: (abs(change.percent), change.duration))
            yield Search(tried, abs(found.percent), found)
            return
        below = percent


def _changes(cost: CostModel, percent: int) -> Iterator[Change]:
    for name in single_durations(cost):
        yield Change(name, percent)
        if percent < 100:
            yield Change(name, -percent)


def _narrowed(change: Change, below: int, shows: Callable[[Change], bool]) -> Change:
    """The smallest percentage above `below` found by halving, of the same sign."""
    sign = 1 if change.percent > 0 else -1
    low, high = below, abs(change.percent)
    while high - low > 1:
        middle = (low + high) // 2
        if shows(replace(change, percent=sign * middle)):
            high = middle
        else:
            low = middle
    return replace(change, percent=sign * high)
