"""Run the engine from a configuration, and look at the result.

    from engine import run
    result = run("async", set={"wait_h2d": "off"})
    print(result.hazards, result.invariants, result.texts)

A `Run` keeps the log of operations and the host's spans; the trace, the hazards and the
comparison with the synchronous baseline are made when they are asked for.
"""

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import attrgetter

import torch

from engine.config import RunConfig, check_numbers
from engine.device.cost import CostModel
from engine.device.cost_file import load_cost
from engine.device.faults import make_fault
from engine.device.repair import Repairs
from engine.device.settings import Settings, Stopped
from engine.device.simulator import NEVER
from engine.device.virtual import VirtualDevice
from engine.dump import build_trace
from engine.figures import Figures, measured_gpu_ms, time_figures
from engine.fixes import Edge
from engine.hazards import Hazard, find_hazards
from engine.lengths import late_rows
from engine.loop import Loop
from engine.mechanisms import Mechanisms, Toggle, encode
from engine.memo import remembering_model
from engine.model_weights import ModelConfig
from engine.modes import mode_named
from engine.parts import Listener, Parts, build_parts
from engine.ready_queue import run_ready_queue
from engine.request import Request
from engine.service import Service, copied_of, measure, queue_of
from engine.token_diff import TokenDiff, diff_tokens
from engine.workload import Workload, WorkloadError
from engine.workload_file import load_workload
from traces import Gap, Trace, find_gaps

MOST_KV_POSITIONS = 1 << 18
"""The largest KV cache that is computed: some 300 MB with the trained model."""


@dataclass(eq=False)
class Run:
    """One finished (or frozen) run."""

    config: RunConfig
    device: VirtualDevice
    parts: Parts
    steps: int
    requests: list[Request]
    wall_ns: int
    stopped: bool = False

    @property
    def texts(self) -> dict[str, str]:
        """The output text of every request, by id."""
        return {request.id: request.text for request in self.requests}

    @property
    def invariants(self) -> list[str]:
        """Broken invariants, one sentence each."""
        return self.parts.ledger.broken

    @property
    def errors(self) -> list[str]:
        """Failures that were noticed, one sentence each: what failed, and what was done."""
        return self.parts.recovery.errors

    @cached_property
    def token_diff(self) -> TokenDiff | None:
        """What differs from the synchronous baseline; None where no token was computed."""
        if not self.config.compute:
            return None
        truth, cut = baseline(self.config).requests, self.config.steps is not None
        return diff_tokens(self.requests, truth, self.steps, cut)

    @cached_property
    def hazards(self) -> list[Hazard]:
        """What the happens-before checker finds in the log of operations."""
        with no_garbage_collection():
            return find_hazards(self.device.log)

    @cached_property
    def figures(self) -> Figures:
        """Busy and idle time, gaps by cause, peaks."""
        by_events = self.config.mechanisms.timer == "events"
        return Figures(
            **time_figures(self.trace, self.gaps, self.wall_ns, self.steps),
            peak={
                "kv_blocks": self.parts.pool.peak_in_use,
                "inflight_tokens": self.parts.ledger.peak_in_flight,
                "device_bytes": self.device.memory.peak_device_bytes,
                "host_bytes": self.device.memory.peak_host_bytes,
            },
            measured_gpu_ms=measured_gpu_ms(self.device.log, by_events),
            wasted_rows=self.parts.ledger.wasted_rows,
        )

    @cached_property
    def service(self) -> Service:
        """Waiting times, throughput, queue, memory and copies."""
        return measure(self)

    @cached_property
    def gaps(self) -> list[Gap]:
        """Stretches without a kernel, with their causes."""
        trace = self.trace
        with no_garbage_collection():
            return find_gaps(trace)

    @cached_property
    def trace(self) -> Trace:
        """The run as a trace."""
        meta = {"run": self.config.describe()}
        with no_garbage_collection():
            counters = self.parts.counters + queue_of(self) + copied_of(self)
            return build_trace(self.device.log, self.device.spans, counters, meta)


def run(
    mode: str = "async",
    *,
    set: Mapping[str, Toggle] | None = None,  # noqa: A002 - the command line's own word
    cost: str | CostModel | None = None,
    workload: str | Workload | None = None,
    batch: int | None = None,
    steps: int | None = None,
    requests: int | None = None,
    seed: int | None = None,
    jitter: float = 0.0,
    compute: bool = True,
    listener: Listener | None = None,
) -> Run:
    """Run a mode, with toggles, cost model and workload changed as asked.

    Raises ModeError, MechanismError, CostError, WorkloadError or ConfigError with one clear
    sentence.
    """
    config = configure(
        mode, set=set, cost=cost, workload=workload, batch=batch, steps=steps,
        requests=requests, seed=seed, jitter=jitter, compute=compute,
    )  # fmt: skip
    return execute(config, listener=listener)


def configure(
    mode: str = "async",
    *,
    set: Mapping[str, Toggle] | None = None,  # noqa: A002
    cost: str | CostModel | None = None,
    workload: str | Workload | None = None,
    batch: int | None = None,
    steps: int | None = None,
    requests: int | None = None,
    seed: int | None = None,
    jitter: float = 0.0,
    compute: bool = True,
) -> RunConfig:
    """The configuration of a mode with changes. A cost model brings its own workload along."""
    check_numbers(batch=batch, steps=steps, requests=requests, seed=seed, jitter=jitter)
    scene = mode_named(mode)
    changes = {name: encode(value) for name, value in (set or {}).items()}
    mechanisms = Mechanisms().with_settings({**scene.toggles, **changes})
    source = scene.cost if cost is None else cost
    cost_model = source if isinstance(source, CostModel) else load_cost(source)
    if workload is None:
        workload = scene.workload if cost is None else cost_model.workload
    work = load_workload(workload) if isinstance(workload, str) else workload
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
    )


def execute(
    config: RunConfig, *, repairs: tuple[Edge, ...] = (), listener: Listener | None = None
) -> Run:
    """Run a configuration. `repairs` are edges of hazard fixes, added while it runs."""
    mechanisms, waiting = _with_repairs(config.mechanisms, repairs)
    stop_at_ns = NEVER if config.stop_at_ns is None else config.stop_at_ns
    fault = make_fault(mechanisms.inject, config.workload.fault_step)
    device = VirtualDevice(
        Settings(
            config.cost, config.seed, config.jitter_percent, config.compute,
            mechanisms.blocking_launch, stop_at_ns, Repairs(waiting) if waiting else None,
            fault,
        )
    )  # fmt: skip
    model = remembering_model() if config.compute else None
    if model is not None:
        _check_size(config.workload, model.config, late_rows(mechanisms))
    parts = build_parts(
        device, mechanisms, config.workload, model, model.config if model else ModelConfig(),
        seed=config.seed, requests=config.requests,
        endless=config.steps is not None, listener=listener, fault=fault,
    )  # fmt: skip
    loop = Loop(parts, config.steps)
    try:
        with torch.inference_mode(), one_thread(), no_garbage_collection():
            run_loop(loop)
            commit_ns = device.now_ns
            device.finish()
    except Stopped:
        return Run(config, device, parts, loop.step, parts.scheduler.all_requests,
                   stop_at_ns, stopped=True)  # fmt: skip
    wall_ns = max(commit_ns, max(map(attrgetter("end_ns"), device.log.ops), default=0))
    requests = parts.close(cut=config.steps is not None)
    return Run(config, device, parts, loop.step, requests, wall_ns)


def run_loop(loop: Loop) -> None:
    """Run a loop to its end in the form its mechanisms ask for."""
    if loop.mechanisms.loop == "ready-queue":
        run_ready_queue(loop)
    elif loop.mechanisms.depth == 1:
        loop.run_sync()
    else:
        loop.run_async()


def _check_size(workload: Workload, model: ModelConfig, late: int) -> None:
    """Raise WorkloadError where the model or the memory is too small to compute a workload
    whose requests get `late` rows too many."""
    longest = workload.longest_request + late
    if longest > model.max_positions:
        raise WorkloadError(
            f"the model knows {model.max_positions} positions and a request of this workload "
            f"takes {longest}: shorten it, or run the timing alone"
        )
    if workload.kv_blocks * workload.block_size > MOST_KV_POSITIONS:
        raise WorkloadError(
            f"kv_blocks x block_size must be at most {MOST_KV_POSITIONS} positions to compute: "
            "make the pool smaller, or run the timing alone"
        )


@contextmanager
def one_thread() -> Iterator[None]:
    """On tensors this small several threads only wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """A run makes very many long-lived objects and no cycles: do not search them again and again.

    They are counted among the old objects at the end, or the next search, soon after, would
    take all of them for new. Measured on 8,192 steps: a third less time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.unfreeze()
        if was_on:
            gc.enable()


def _with_repairs(
    mechanisms: Mechanisms, repairs: tuple[Edge, ...]
) -> tuple[Mechanisms, tuple[Edge, ...]]:
    """Split repairs into a change of the loop's order (finish first) and edges to wait for."""
    if any(edge.how == "finish_first" for edge in repairs):
        mechanisms = mechanisms.with_settings({"reuse_host_output": "on"})
    return mechanisms, tuple(edge for edge in repairs if edge.how != "finish_first")


def baseline(config: RunConfig, asynchronous: bool = False) -> Run:
    """The correct run of the same work (see RunConfig.baseline); the last ones are kept."""
    return _kept(config.baseline(asynchronous))


@lru_cache(maxsize=24)
def _kept(config: RunConfig) -> Run:
    return execute(config)
