"""The Timeline page's run beside its baselines: titles, panels, and the window to open with.

Plain functions on studies; no widget is drawn here.
"""

from dataclasses import dataclass, replace
from functools import cached_property

from lab.catalogue import t
from lab.picture.gantt import Panel
from lab.study import Bound, Study
from lab.timeline.opening import Opening, is_short, opening_of
from lab.units import percent, whole_ns


@dataclass(frozen=True, eq=False)
class Scene:
    """This run with the correct runs of the same work."""

    run: Study
    sync: Study
    baseline: Study

    @property
    def bound(self) -> Bound:
        """What no schedule can beat."""
        return self.sync.bound

    def pinned(self, names: list[str]) -> dict[str, Study]:
        """The baselines to show, by name; one that is this very run is left out."""
        known = {"sync": self.sync, "async": self.baseline}
        own = self.run.run.config.key()
        return {n: s for n, s in known.items() if n in names and s.run.config.key() != own}

    def panels(self, names: list[str]) -> list[Panel]:
        """Baselines with the lanes that matter, then this run with all of its lanes."""
        panels = [
            panel_of(t(f"panel.{name}"), study, everything=False)
            for name, study in self.pinned(names).items()
        ]
        return [*panels, panel_of(t("panel.run"), self.run, everything=True, counters=True)]

    def extent(self, names: list[str]) -> tuple[int, int]:
        """From 0 to the end of the longest run shown (ns)."""
        shown = [self.run, *self.pinned(names).values()]
        return 0, max(study.run.wall_ns for study in shown)

    @cached_property
    def opening(self) -> Opening:
        """The stretch to show first, and why; all of it where the runs are short."""
        step_ns = whole_ns(self.bound.step_ms)
        opening, whole = opening_of(self.run, step_ns), self.extent(["sync", "async"])
        return replace(opening, window=whole) if is_short(step_ns, whole[1]) else opening


def panel_of(
    title: str, study: Study, everything: bool, counters: bool = False, what: str = ""
) -> Panel:
    """A run with its figures in the title: all its lanes, arrows and hazards, or the lanes that
    matter alone. `what` is active, if it is not the GPU."""
    numbers = study.numbers
    head = t(
        "panel.title", title=title, what=what or t("verdict.active"),
        active=percent(numbers.gpu_active),
        step=f"{numbers.step_ms:.2f}",
    )  # fmt: skip
    lanes = [lane for lane in study.lanes if everything or lane.main]
    hazards = study.run.hazards if everything else ()
    return Panel(head, study.trace, study.gaps, lanes, everything, hazards, counters)
