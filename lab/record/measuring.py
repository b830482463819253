"""Runs on a device that measures time: one at a time on this server, within a time limit.

A run has the machine's cores to itself, or its times would be another run's as well. Pages are not
known here: whoever asks for a run hears how far it is, and may end it by raising an exception.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from engine import execute
from engine.config import RunConfig
from engine.device.cost import CostModel
from engine.measured.fit import fit_cost
from engine.parts import Stop
from lab.catalogue import t
from lab.study import Study

LIMIT_S = 60.0
"""A run ends after the step in which it has lasted so long."""

TOLD_EVERY_S = 0.25
"""How often progress is told: each time takes the host a moment that is measured, too."""

WARM_UP_STEPS = 2
"""So many steps are run first and forgotten: what is loaded and touched for the first time is slow.
"""

RECORDED = "recorded"
"""The name of the cost model that is fitted from a run."""

_machine = threading.Lock()


class BusyError(RuntimeError):
    """Another run is being measured on this server; the message is one sentence."""


@dataclass(frozen=True, eq=False)
class Measured:
    """A measured run, the cost model fitted from it, and what the modelled clock makes of both."""

    study: Study
    cost: CostModel
    prediction: Study

    @property
    def config(self) -> RunConfig:
        """The run's configuration."""
        return self.study.run.config


@dataclass(slots=True)
class Watch:
    """Asked by the engine before each step whether to stop: after `limit_s`. Tells `progress` how
    many steps have begun, TOLD_EVERY_S at most."""

    progress: Callable[[int], None]
    limit_s: float
    began: float = field(default_factory=time.monotonic)
    steps: int = 0
    _told: float = 0.0

    def __call__(self) -> bool:
        now = time.monotonic()
        if now - self._told >= TOLD_EVERY_S:
            self._told = now
            self.progress(self.steps)
        self.steps += 1
        return now - self.began > self.limit_s


def measure(
    config: RunConfig, progress: Callable[[int], None], limit_s: float = LIMIT_S
) -> Measured:
    """Run a configuration and predict it. What `progress` raises ends the run, and every thread of
    it, and is passed on.

    Raises BusyError while another run is measured, FitError where nothing can be predicted from
    the run, and what `execute` raises.
    """
    if not _machine.acquire(blocking=False):
        raise BusyError(t("record.busy"))
    try:
        execute(replace(config, steps=WARM_UP_STEPS, pace=False, widen_ms=0))
        stop: Stop = Watch(progress, limit_s)
        study = Study(execute(config, stop=stop))
    finally:
        _machine.release()
    return predicted(study)


def predicted(study: Study) -> Measured:
    """The same run on the modelled clock, with the cost model fitted from the measured one."""
    config = study.run.config
    cost = fit_cost(study.trace, RECORDED)
    steps = study.run.steps if study.run.stopped else config.steps
    modelled = replace(config.prediction, cost=cost, steps=steps, jitter_percent=0.0)
    return Measured(study, cost, Study(execute(modelled)))
