"""Run the engine from a configuration, and look at the result.

    from engine import run
    result = run("async", set={"wait_h2d": "off"})
    print(result.hazards, result.invariants, result.texts)

A `Run` keeps the log of operations and the host's spans; the trace, the hazards and the
comparison with the synchronous baseline are made when they are asked for.
"""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from operator import attrgetter
from pathlib import Path

import torch

from engine.build import build_parts
from engine.checker.fixes import Edge
from engine.checker.hazards import Hazard, find_hazards
from engine.config import RunConfig
from engine.configuration import configure
from engine.device.api import Device
from engine.device.cost import MS, CostModel
from engine.device.faults import make_fault
from engine.device.ranges import Profiler
from engine.device.recalled import Recall
from engine.device.repair import Repairs
from engine.device.settings import Stopped
from engine.devices import make_device, model_for
from engine.forks.change import plan
from engine.loop import Loop
from engine.measured.widening import hold_back
from engine.mechanisms.table import Mechanisms, Toggle
from engine.model.weights import ModelConfig
from engine.parts import Listener, Parts, Stop, never
from engine.process import look_for_forgotten_runs, no_garbage_collection, one_thread
from engine.ready_queue import run_ready_queue
from engine.recording.journal import Journal
from engine.requests.lengths import late_rows
from engine.requests.request import Request
from engine.results.dump import build_trace
from engine.results.figures import Figures, measured_gpu_ms, time_figures
from engine.results.service import Service, copied_of, measure, queue_of
from engine.results.token_diff import TokenDiff, diff_tokens
from engine.workloads.workload import Workload, WorkloadError
from traces import Gap, Trace, find_gaps

MOST_KV_POSITIONS = 1 << 18
"""The largest KV cache that is computed: some 300 MB with the trained model."""


@dataclass(eq=False)
class Run:
    """One run. `stopped` says that it was frozen, or told to stop before its work was done."""

    config: RunConfig
    device: Device
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

    @property
    def failed_steps(self) -> list[int]:
        """The step of each of the `errors`."""
        return self.parts.recovery.failed_steps

    @cached_property
    def token_diff(self) -> TokenDiff | None:
        """What differs from the synchronous baseline; None where no token was computed."""
        if not self.config.compute:
            return None
        truth = baseline(self.config.judge).requests
        cut = self.stopped or self.config.steps is not None
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
        meta = {"run": self.config.describe() | self.device.measured}
        with no_garbage_collection():
            counters = self.parts.counters + queue_of(self) + copied_of(self)
            return build_trace(self.device.log, self.device.spans, counters, meta)


def run(
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
    listener: Listener | None = None,
    stop: Stop = never,
) -> Run:
    """Run a mode, with toggles, cost model and workload changed as asked.

    Raises ModeError, MechanismError, CostError, WorkloadError, ConfigError or DeviceError with
    one clear sentence.
    """
    config = configure(
        mode, set=set, cost=cost, workload=workload, batch=batch, steps=steps,
        requests=requests, seed=seed, jitter=jitter, compute=compute,
        device=device, pace=pace, widen_ms=widen_ms, model=model,
    )  # fmt: skip
    return execute(config, listener=listener, stop=stop)


def execute(
    config: RunConfig,
    *,
    repairs: tuple[Edge, ...] = (),
    listener: Listener | None = None,
    stop: Stop = never,
    profiler: Profiler | None = None,
    journal: Journal | None = None,
    adjust: Callable[[Parts], None] | None = None,
    recall: Recall | None = None,
    loop_type: type[Loop] | None = None,
) -> Run:
    """Run a configuration. `repairs` are edges of hazard fixes, added while it runs. `adjust` may
    exchange a part before the run begins, and `loop_type` the loop: exercises put a student's
    function there.

    `profiler` is told of spans and steps, `journal` what becomes of memory and of requests.
    `recall` is for runs that differ in nothing but durations: nothing is computed twice for them.
    `stop` is asked between steps: once it says yes, what is in flight is finished, and the run is
    over. Raises ConfigError or WorkloadError for what cannot be run, and DeviceError where work of
    the device raises. Whatever happens, nothing goes on behind it.
    """
    mechanisms, waiting = _with_repairs(config.mechanisms, repairs)
    fault = make_fault(mechanisms.inject, config.workload.fault_step)
    added = Repairs(waiting) if waiting else None
    delays = _delays(config)
    with closing(make_device(config, added, fault, delays, profiler, journal, recall)) as device:
        model = model_for(config)
        if model is not None:
            _check_size(config.workload, model.config, late_rows(mechanisms))
        parts = build_parts(
            device, mechanisms, config.workload, model, model.config if model else ModelConfig(),
            seed=config.seed, requests=config.requests,
            endless=config.steps is not None, listener=listener, fault=fault, stop=stop,
        )  # fmt: skip
        if adjust is not None:
            adjust(parts)
        if journal is not None:
            journal.begin(parts)
        loop = (loop_type or Loop)(parts, config.steps)
        if config.fork is not None:
            plan(config.fork, loop)
        run = _serve(config, device, loop)
    if model is not None:
        look_for_forgotten_runs(run.steps)
    return run


def _serve(config: RunConfig, device: Device, loop: Loop) -> Run:
    """Run a loop until its work is done, it is told to stop, or it is frozen."""
    parts = loop.parts
    try:
        with torch.inference_mode(), one_thread(), no_garbage_collection():
            parts.warm_up()  # takes time, so the run may be frozen in it
            run_loop(loop)
            commit_ns = device.now_ns
            device.finish()
    except Stopped:
        return Run(config, device, parts, loop.step, parts.scheduler.all_requests,
                   device.now_ns, stopped=True)  # fmt: skip
    wall_ns = max(commit_ns, max(map(attrgetter("end_ns"), device.log.ops), default=0))
    stopped = parts.stop()
    requests = parts.close(cut=stopped or config.steps is not None)
    return Run(config, device, parts, loop.step, requests, wall_ns, stopped)


def _delays(config: RunConfig) -> dict[str, int]:
    """How long operations are held back (ns): those that race in the run that is predicted."""
    if not config.widen_ms:
        return {}
    predicted = execute(replace(config.prediction, compute=False))
    return hold_back(predicted.device.log, config.widen_ms * MS)


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
