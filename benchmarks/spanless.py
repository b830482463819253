"""Runs without spans, to measure what recording them costs.

The operations' log stays: hazards are found in it. What is left out is what a trace adds to it,
the host's spans.
"""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import Any

from engine import Run, execute
from engine.config import RunConfig
from engine.device.api import HostSpan
from engine.device.ranges import MakeDevice
from engine.device.settings import Settings
from engine.devices import DEVICES, make_device

SERIES, SPANS = 20, 200


def spanless(make: MakeDevice) -> MakeDevice:
    """Devices as `make` makes them, for measured time, that record no host spans."""
    device_class: Any = make

    class Spanless(device_class):  # type: ignore[misc] # a device that measures opens spans there
        def __init__(self, settings: Settings) -> None:
            self._unlisted = HostSpan("", 0, 0, 0, 0)
            super().__init__(settings)

        def _span(self, name: str, waits_for: str = "") -> HostSpan:
            return self._unlisted

    return Spanless


@contextmanager
def without_spans(device: str) -> Iterator[None]:
    """Runs on a device, by its name, record no host spans meanwhile."""
    kind = DEVICES[device]
    DEVICES[device] = replace(kind, make=spanless(kind.make))
    try:
        yield
    finally:
        DEVICES[device] = kind


@dataclass(frozen=True, slots=True)
class Overhead:
    """How much more a run takes with spans, as a share of it: by the clock (the median of its
    steps, each against the same one without spans), of the processor by all threads together, and
    counted from what one span takes."""

    wall: float
    processor: float
    counted: float


@dataclass(frozen=True, slots=True)
class Taken:
    """What a run takes by the clock, each step of it, and of the processor (ns), how many spans it
    records, and what one takes (ns)."""

    wall_ns: int
    steps_ns: tuple[int, ...]
    processor_ns: int
    spans: int
    span_ns: float


def overheads(config: RunConfig, pairs: int) -> list[Overhead]:
    """The overhead in so many pairs of runs. Which of the two comes first alternates, for the
    machine may be slower at first."""
    found = []
    for number in range(pairs):
        taken = {}
        for spans in (True, False) if number % 2 else (False, True):
            with nullcontext() if spans else without_spans(config.device):
                taken[spans] = _taken(config)
        on, off = taken[True], taken[False]
        wall = median(a / b for a, b in zip(on.steps_ns, off.steps_ns, strict=True)) - 1
        counted = on.spans * (on.span_ns - off.span_ns) / off.wall_ns
        found.append(Overhead(wall, on.processor_ns / off.processor_ns - 1, counted))
    return found


def _taken(config: RunConfig) -> Taken:
    began_ns = time.process_time_ns()
    run = execute(config)
    processor_ns = time.process_time_ns() - began_ns
    spans = len(run.device.spans)
    return Taken(run.wall_ns, steps_ns(run), processor_ns, spans, _span_ns(config))


def steps_ns(run: Run) -> tuple[int, ...]:
    """How long each step took (ns), but the first: from the end of the last device operation of
    the step before it to that of its own. At least 1."""
    ends: dict[int, int] = {}
    for op in run.device.log:
        if op.step >= 0:
            ends[op.step] = max(ends.get(op.step, 0), op.end_ns)
    return tuple(max(1, after - before) for before, after in pairwise(ends.values()))


def _span_ns(config: RunConfig) -> float:
    """What a span of no work takes (ns): the least of several series, for others want the machine
    as well."""
    series = []
    with closing(make_device(config, None, None, {})) as device:
        for _ in range(SERIES):
            began_ns = time.perf_counter_ns()
            for _ in range(SPANS):
                with device.host("schedule"):
                    pass
            series.append(time.perf_counter_ns() - began_ns)
    return min(series) / SPANS
