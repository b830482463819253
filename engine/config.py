"""Everything that determines a run, as one frozen value: a run can be rebuilt from it."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from engine.device.cost import CostModel
from engine.device.costs import COSTS
from engine.forks.fork import Fork
from engine.mechanisms.table import ASYNC, SYNC, Mechanisms
from engine.workloads.presets import WORKLOADS
from engine.workloads.workload import MOST_ROWS, Workload


class ConfigError(ValueError):
    """A number of a run is out of range; the message is one sentence."""


LIMITS: dict[str, tuple[int, int]] = {
    "batch": (1, MOST_ROWS),
    "steps": (1, 1_000_000),
    "requests": (1, 1_000_000),
    "seed": (-(1 << 40), 1 << 40),
    "jitter": (0, 100),
    "widen": (0, 1000),
    "timing": (0, 1_000_000),
}
"""What the numbers of a run may be."""


def check_numbers(**numbers: float | None) -> None:
    """Raise ConfigError naming the first number outside LIMITS; None means "as the scene says"."""
    for name, number in numbers.items():
        low, high = LIMITS[name]
        if number is None:
            continue
        kind = int | float if name == "jitter" else int
        fits = isinstance(number, kind) and not isinstance(number, bool)
        if not (fits and low <= number <= high):
            raise ConfigError(f"{name} must lie between {low} and {high}, not {number!r}")


DESCRIBED = {
    "mode": str, "toggles": dict, "cost": str, "workload": str, "device": str, "model": str,
}  # fmt: skip
"""Entries of `RunConfig.describe` that are read back from a trace, and their types."""


def described(meta: Mapping[str, Any]) -> dict[str, Any]:
    """What a trace's `meta` says of the run of this engine that it holds; {} where it says nothing.

    Raises ConfigError where that is no description of a run: someone has edited the file.
    """
    run = meta.get("run", {})
    if not isinstance(run, dict):
        raise ConfigError("the file's 'run' entry is no description of a run: save the run anew")
    for name, kind in DESCRIBED.items():
        if name in run and not isinstance(run[name], kind):
            what = "a list of toggles" if kind is dict else "a word"
            raise ConfigError(f"the file's 'run' entry has a {name!r} that is not {what}: "
                              "save the run anew")  # fmt: skip
    return run


@dataclass(frozen=True)
class RunConfig:
    """A run. `steps` cuts it, `requests` overrides how many a generated workload has.

    `device` is a name of `engine.devices`. Where it measures, `pace` stretches all work to the
    cost model's times, and `widen_ms` holds back what races. `model` is a name of
    `engine.model.sizes`. `compute=False` runs the timing
    alone. `stop_at_ns` freezes the run at an instant (None: to its end); `fork` changes it from
    an instant on.
    Jittered times come from the seed; `timing` numbers further ones of the same work.
    """

    mode: str = "async"
    mechanisms: Mechanisms = ASYNC
    cost: CostModel = field(default_factory=lambda: COSTS["published-8b"])
    workload: Workload = field(default_factory=lambda: WORKLOADS["chat"])
    steps: int | None = None
    requests: int | None = None
    seed: int = 0
    jitter_percent: float = 0.0
    timing: int = 0
    compute: bool = True
    device: str = "virtual"
    stop_at_ns: int | None = None
    pace: bool = False
    widen_ms: int = 0
    model: str = "trained"
    fork: Fork | None = None

    def key(self) -> str:
        """The same text for the same run: the key under which runs are cached."""
        return self._key

    @cached_property
    def _key(self) -> str:
        """Worked out once: a page asks for it some twenty times."""
        return json.dumps(asdict(self), sort_keys=True)

    @property
    def settings(self) -> dict[str, str]:
        """Every toggle that is off its right value at some time of the run, as text."""
        settings = self.mechanisms.settings()
        if self.fork is not None:
            settings |= self.fork.mechanisms(self.mechanisms).settings()
        return settings

    @property
    def parent(self) -> "RunConfig":
        """The run from which this one is forked; itself where it is no fork."""
        return replace(self, fork=None)

    @property
    def timing_seed(self) -> int:
        """What jitter is drawn from: another number for each seed and timing."""
        return self.seed + self.timing * (LIMITS["seed"][1] * 2 + 1)

    def __hash__(self) -> int:
        return hash(self.key())

    def baseline(self, asynchronous: bool) -> "RunConfig":
        """The correct run of the same work, synchronous or asynchronous.

        It draws random numbers as this run does: what is compared is the order of work.
        Drafts may change no token, so the synchronous run, the truth, works without any.
        """
        correct = ASYNC if asynchronous else SYNC
        workload = self.workload if asynchronous else replace(self.workload, speculate=0)
        return replace(
            self,
            mode="async" if asynchronous else "sync",
            mechanisms=replace(correct, rng=self.mechanisms.rng),
            workload=workload,
            stop_at_ns=None,
            widen_ms=0,
            fork=None,
        )

    @property
    def prediction(self) -> "RunConfig":
        """The same run on the modelled clock."""
        return replace(self, device="virtual", pace=False, widen_ms=0)

    @property
    def judge(self) -> "RunConfig":
        """The run whose synchronous form says which tokens are right: the modelled one.

        A random model may be too large for it, and on a GPU its numbers are others: it is
        judged by the device that runs it.
        """
        return self.prediction if self.model == "trained" else self

    def describe(self) -> dict[str, Any]:
        """What a trace file says of the run it holds."""
        return {
            "mode": self.mode,
            "toggles": self.mechanisms.settings(),
            "cost": self.cost.name,
            "workload": self.workload.name,
            "steps": self.steps,
            "requests": self.requests,
            "seed": self.seed,
            "jitter_percent": self.jitter_percent,
            "device": self.device,
            **({"timing": self.timing} if self.timing else {}),
            **({"model": self.model} if self.model != "trained" else {}),
            **({"pace": True} if self.pace else {}),
            **({"widen_ms": self.widen_ms} if self.widen_ms else {}),
            **({"fork": self.fork.describe()} if self.fork and self.fork.text else {}),
        }
