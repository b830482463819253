"""The Home page's experiment: one engine, two numbers, sync above async.

Timing alone, on the cost model of the published run with its host work and its kernels
stretched to what the sliders say. Nothing is drawn here.
"""

from dataclasses import replace

from engine import configure
from engine.config import RunConfig
from engine.device.cost import CostModel
from engine.device.costs import COSTS
from engine.workloads.presets import WORKLOADS
from lab.catalogue import t
from lab.picture.gantt import Gantt, Panel, draw
from lab.picture.lanes import Lane
from lab.study import Study

COST = COSTS["published-8b"]
WORKLOAD = WORKLOADS["chat"]
STEPS = 64
SHOWN_STEPS = 3
MS = 1_000_000

CPU_MS = round(COST.host_step_ns / MS, 1)
GPU_MS = round(COST.gpu_step_ns / MS, 1)
"""Where the sliders start: the published run's ratio."""

LEAST_MS, MOST_MS = 0.5, 60.0
"""Where they end."""


def stretched_cost(cpu_ms: float, gpu_ms: float) -> CostModel:
    """The published run's cost model with its host and kernel time a step set (ms)."""
    host, gpu = cpu_ms * MS / COST.host_step_ns, gpu_ms * MS / COST.gpu_step_ns
    return replace(
        COST,
        name="home",
        host_ns={step: round(ns * host) for step, ns in COST.host_ns.items()},
        kernel_ns={family: round(ns * gpu) for family, ns in COST.kernel_ns.items()},
    )


def both_configs(cpu_ms: float, gpu_ms: float) -> tuple[RunConfig, RunConfig]:
    """The sync and the async run, of the same work."""
    config = configure(
        "async", cost=stretched_cost(cpu_ms, gpu_ms), workload=WORKLOAD, steps=STEPS, compute=False
    )
    return config.baseline(asynchronous=False), config.baseline(asynchronous=True)


def both_figures(sync: Study, overlapped: Study) -> Gantt:
    """Sync above async on one time axis, over the first steps of the sync run."""
    panels = [
        Panel(t(title), study.trace, study.gaps, _plain_lanes(study))
        for title, study in (("home.sync", sync), ("home.async", overlapped))
    ]
    return draw(panels, (0, sync.run.wall_ns * SHOWN_STEPS // STEPS))


def _plain_lanes(study: Study) -> list[Lane]:
    """The host and the kernels, called CPU and GPU."""
    return [
        replace(lane, said="home.lane_gpu" if lane.gpu else "home.lane_cpu")
        for lane in study.lanes
        if lane.main
    ]
