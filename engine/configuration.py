"""A configuration from what a user says: a mode, and what is to be otherwise."""

from collections.abc import Mapping
from pathlib import Path

from engine.arguments import check_kind, cost_of, workload_of
from engine.config import RunConfig, check_numbers
from engine.device.cost import CostModel
from engine.devices import check_device
from engine.forks.fork import Fork
from engine.mechanisms.table import Mechanisms, Toggle, encode
from engine.model.sizes import check_model
from engine.modes.table import mode_named
from engine.workloads.workload import Workload


def configure(
    mode: str = "async",
    *,
    set: Mapping[str, Toggle] | None = None,  # noqa: A002 - the command line's own word
    cost: str | Path | CostModel | None = None,
    workload: str | Path | Workload | None = None,
    batch: int | None = None,
    steps: int | None = None,
    requests: int | None = None,
    seed: int | None = None,
    jitter: float = 0.0,
    compute: bool = True,
    device: str = "virtual",
    pace: bool = False,
    widen_ms: int = 0,
    model: str = "trained",
    fork: Fork | None = None,
) -> RunConfig:
    """The configuration of a mode with changes. A cost model brings its own workload along.

    Raises ModeError, MechanismError, CostError, DurationError, WorkloadError or ConfigError with
    one clear sentence.
    """
    check_kind(str, mode=mode, device=device, model=model)
    check_kind(bool, compute=compute, pace=pace)
    check_kind(Mapping, set={} if set is None else set)
    check_numbers(
        batch=batch, steps=steps, requests=requests, seed=seed, jitter=jitter, widen=widen_ms
    )
    check_model(model)
    check_device(device, pace=pace, widen_ms=widen_ms, jitter=jitter, fork=fork is not None)
    scene = mode_named(mode)
    changes = {name: encode(value) for name, value in (set or {}).items()}
    mechanisms = Mechanisms().with_settings({**scene.toggles, **changes})
    source = scene.cost if cost is None else cost
    cost_model = cost_of(source)
    if workload is None:
        workload = scene.workload if cost is None else cost_model.workload
    if fork is not None:
        fork.cost(cost_model)  # durations that cannot be set here are refused here
    work = workload_of(workload)
    if batch is not None:
        work = work.with_batch(batch)
    return RunConfig(
        mode=mode,
        mechanisms=mechanisms,
        cost=cost_model,
        workload=work,
        steps=steps,
        requests=requests,
        seed=scene.seed if seed is None else seed,
        jitter_percent=jitter,
        compute=compute,
        device=device,
        pace=pace,
        widen_ms=widen_ms,
        model=model,
        fork=fork,
    )
