"""What the Timeline page shows, as values: a mode and what was changed of it.

A widget's default is what the mode says, and the URL holds only what differs from it. So the
same URL always restores the same run, and a mode's name alone is a link to it. This module
knows modes and URLs but no widgets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from engine import configure
from engine.config import RunConfig
from engine.device.step_cost import cost_named
from engine.mechanisms.table import TABLE, Mechanisms, encode
from engine.modes.mode import Mode
from engine.modes.table import MODES
from engine.workloads.presets import WORKLOADS

DEFAULT_MODE = "async"
MOST_TOKENS = 20_000
"""Runs that ask for more output tokens than this are run for their timing alone."""


def mode_toggles(mode: Mode) -> dict[str, str]:
    """Every toggle's value in a mode, as text."""
    mechanisms = Mechanisms().with_settings(mode.toggles)
    return {info.name: encode(getattr(mechanisms, info.name)) for info in TABLE}


def default_workload(mode: Mode, cost: str) -> str:
    """The mode's workload, or the one that another cost model brings along."""
    return mode.workload if cost == mode.cost else cost_named(cost).workload


@dataclass(frozen=True)
class Choice:
    """Everything that determines the run. `changes` are toggles that differ from the mode's;
    None stands for what the workload or the mode says."""

    mode: str = DEFAULT_MODE
    changes: Mapping[str, str] = field(default_factory=dict)
    cost: str = ""
    workload: str = ""
    batch: int | None = None
    steps: int | None = None
    requests: int | None = None
    seed: int | None = None
    jitter: float = 0.0
    compute: bool = True
    timing: int = 0

    @property
    def scene(self) -> Mode:
        """The mode itself."""
        return MODES[self.mode]

    def config(self) -> RunConfig:
        """The run. Raises ModeError, MechanismError, CostError or WorkloadError."""
        config = configure(
            self.mode,
            set=self.changes,
            cost=cost_named(self.cost) if self.cost else None,
            workload=self.workload or None,
            batch=self.batch,
            steps=self.steps,
            requests=self.requests,
            seed=self.seed,
            jitter=self.jitter,
            compute=self.compute and self.output_tokens() <= MOST_TOKENS,
        )
        return replace(config, timing=self.timing)

    def output_tokens(self) -> int:
        """About how many output tokens the run asks for."""
        work = WORKLOADS[self.workload or self.scene.workload]
        if self.steps is not None:
            return self.steps * (self.batch or work.batch)
        listed = sum(prompt.max_new_tokens for prompt in work.requests)
        count = self.requests or max(work.count, 2 * (self.batch or 0))
        return listed or count * (work.shortest + work.longest) // 2

    def query(self) -> dict[str, str]:
        """The URL's parameters: what differs from the mode, no more."""
        scene = self.scene
        cost = self.cost or scene.cost
        workload = default_workload(scene, cost)
        values: dict[str, tuple[object, object]] = {
            "mode": (self.mode, DEFAULT_MODE),
            **{name: (value, None) for name, value in self.changes.items()},
            "cost": (cost, scene.cost),
            "workload": (self.workload or scene.workload, workload),
            "batch": (self.batch, None),
            "steps": (self.steps, None),
            "requests": (self.requests, None),
            "seed": (scene.seed if self.seed is None else self.seed, scene.seed),
            "jitter": (self.jitter, 0.0),
            "timing": (self.timing, 0),
            "compute": ("on" if self.compute else "off", "on"),
        }
        return {key: str(value) for key, (value, default) in values.items() if value != default}


def link(base: str, query: Mapping[str, str | Sequence[str]]) -> str:
    """A URL that opens the page in this state; lists become repeated parameters."""
    bare = base.split("?")[0].split("#")[0]
    return f"{bare}?{urlencode(query, doseq=True)}" if query else bare


def file_name(choice: Choice) -> str:
    """A name for the downloaded trace that says what it holds."""
    changed = "".join(f"-{name}-{value}" for name, value in sorted(choice.changes.items()))
    return f"overlap-lab-{choice.mode}{changed[:80]}.json.gz"
