"""The devices by name, and what a run gets of one: the only place that tells them apart.

A device either models time (its clock shows what the cost model says) or measures it. On one
that measures, work takes as long as it takes, or at least as long as the cost model says where a
run is paced.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine.config import ConfigError, RunConfig
from engine.device.api import Device
from engine.device.cost import CostModel
from engine.device.cuda import CudaDevice, missing_gpu
from engine.device.faults import Fault
from engine.device.nvtx_ranges import nvtx_listener
from engine.device.ranges import MakeDevice, Profiler, told_to
from engine.device.recalled import Recall, recalling
from engine.device.repair import Repairs
from engine.device.settings import Settings
from engine.device.simulator import NEVER
from engine.device.threads import ThreadsDevice
from engine.device.virtual import VirtualDevice
from engine.device.watched import Watcher, watched_by
from engine.model.decoder import Model, load_model
from engine.model.memo import remembering_model
from engine.model.sizes import TRAINED, random_model


def nothing_missing() -> str:
    """A device that every machine has."""
    return ""


@dataclass(frozen=True, slots=True)
class Kind:
    """A device: one sentence about it, how to make it, and whether it measures time.

    `where` is the torch device that it computes on, `paces` whether it can stretch work to the
    cost model's times, `missing` says why it cannot be used here (nothing where it can).
    """

    about: str
    make: MakeDevice
    measures: bool
    where: str = "cpu"
    paces: bool = True
    missing: Callable[[], str] = nothing_missing


DEVICES = {
    "virtual": Kind("a modelled clock: the same times on every machine", VirtualDevice, False),
    "threads": Kind("a thread for each stream: times as they really are", ThreadsDevice, True),
    "cuda": Kind(
        "an NVIDIA GPU: times as they really are",
        CudaDevice, True, where="cuda", paces=False, missing=missing_gpu,
    ),
}  # fmt: skip


def check_device(
    name: str, *, pace: bool, widen_ms: int, jitter: float, fork: bool = False
) -> None:
    """Raise ConfigError where there is no such device, or it cannot do what is asked of it."""
    if name not in DEVICES:
        raise ConfigError(f"there is no device {name!r}: use one of {', '.join(DEVICES)}")
    measures = DEVICES[name].measures
    if not measures and (pace or widen_ms):
        asked = "pace" if pace else "widen"
        raise ConfigError(f"{asked} is for devices that measure time, and {name!r} models it")
    if pace and not DEVICES[name].paces:
        raise ConfigError(f"{name!r} takes what it takes and cannot be paced: use threads")
    if measures and fork:
        raise ConfigError("only a run on the virtual device can be forked at an instant")
    if measures and jitter and not pace:
        raise ConfigError(f"jitter varies the cost model's times: on {name!r} it needs pace, too")
    if missing := DEVICES[name].missing():
        raise ConfigError(missing)


def make_device(
    config: RunConfig,
    repairs: Repairs | None,
    fault: Fault | None,
    delays: Mapping[str, int],
    profiler: Profiler | None = None,
    watcher: Watcher | None = None,
    recall: Recall | None = None,
) -> Device:
    """A device for one run; whoever asks for it closes it. `profiler` is told of spans and steps,
    `watcher` of what becomes of memory. What is in `recall` is not computed again.

    Raises ConfigError where the run is to be frozen at an instant of a clock that is not modelled,
    or recorded there.
    """
    kind = DEVICES[config.device]
    if kind.measures and watcher is not None:
        raise ConfigError("only a run on the virtual device can be recorded step by step")
    if kind.measures and config.stop_at_ns is not None:
        raise ConfigError("only a run on the virtual device can be frozen at an instant")
    make: MakeDevice = kind.make if watcher is None else watched_by(watcher)
    if recall is not None and watcher is None and can_recall(config):
        make = recalling(recall)
    for listener in (nvtx_listener(), profiler):
        make = make if listener is None else told_to(listener, make)
    return make(
        Settings(
            cost=config.cost if config.pace or not kind.measures else unpaced(config.cost),
            seed=config.timing_seed,
            jitter_percent=config.jitter_percent,
            compute=config.compute,
            blocking_launch=config.mechanisms.blocking_launch,
            stop_at_ns=NEVER if config.stop_at_ns is None else config.stop_at_ns,
            repairs=repairs,
            fault=fault,
            delays=delays,
        )
    )


def can_recall(config: RunConfig) -> bool:
    """True where all that a run does leaves its mark in memory, and nowhere else."""
    m = config.mechanisms
    plain = (m.memory, m.inject, m.rng) == ("pinned", "none", "counter")
    return plain and config.compute and not DEVICES[config.device].measures


def unpaced(cost: CostModel) -> CostModel:
    """A cost model that asks for no time; copies still move in as many pieces."""
    return CostModel(cost.name, chunks=cost.chunks, copy_engines=cost.copy_engines)


def model_for(config: RunConfig) -> Model | None:
    """The model to compute with; None in a timing-only run.

    Where time is measured as it is, nothing may be remembered: it would take no time.
    """
    if not config.compute:
        return None
    where = DEVICES[config.device].where
    if config.model != TRAINED:
        return random_model(config.model, where)
    as_it_is = DEVICES[config.device].measures and not config.pace
    return load_model(where=where) if as_it_is else remembering_model()
