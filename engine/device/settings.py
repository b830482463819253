"""How a device is set up, and how the virtual one says that it was stopped."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.device.cost import CostModel
from engine.device.faults import Fault
from engine.device.repair import Repairs
from engine.device.simulator import NEVER


class Stopped(Exception):  # noqa: N818 - not an error: the run was asked to stop here
    """The host's clock reached the instant at which the run was to be frozen."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a device is set up.

    `compute=False` keeps no data and runs the timing alone. `stop_at_ns` freezes the run at that
    instant by raising Stopped; it is for the modelled clock. `delays` lets operations of these
    names start so late (ns); it is for the wall's. `blocking_launch` makes every kernel launch
    wait for its own end (CUDA_LAUNCH_BLOCKING). `fault` is a failure to come.
    """

    cost: CostModel
    seed: int = 0
    jitter_percent: float = 0.0
    compute: bool = True
    blocking_launch: bool = False
    stop_at_ns: int = NEVER
    repairs: Repairs | None = None
    fault: Fault | None = None
    delays: Mapping[str, int] = field(default_factory=dict)
