"""How a device is set up, and how the virtual one says that it was stopped."""

from collections.abc import Set
from dataclasses import dataclass

from engine.device.cost import CostModel
from engine.device.faults import Fault
from engine.device.repair import Repairs
from engine.device.simulator import NEVER


class Stopped(Exception):  # noqa: N818 - not an error: the run was asked to stop here
    """The host's clock reached the instant at which the run was to be frozen."""


@dataclass(frozen=True, slots=True)
class Delay:
    """Operations of these names start so late (ns) that whoever should await them and does not
    is seen to come first."""

    names: Set[str] = frozenset()
    ns: int = 0

    def of(self, name: str) -> int:
        """The delay of an operation (ns)."""
        return self.ns if name in self.names else 0


@dataclass(frozen=True, slots=True)
class Settings:
    """How a device is set up.

    `compute=False` keeps no data and runs the timing alone. `stop_at_ns` freezes the run
    at that instant by raising Stopped, `delay` holds work back: one is for the modelled clock,
    the other for the wall's. `blocking_launch` makes every kernel launch wait for its own end
    (CUDA_LAUNCH_BLOCKING). `fault` is a failure to come.
    """

    cost: CostModel
    seed: int = 0
    jitter_percent: float = 0.0
    compute: bool = True
    blocking_launch: bool = False
    stop_at_ns: int = NEVER
    repairs: Repairs | None = None
    fault: Fault | None = None
    delay: Delay = Delay()
