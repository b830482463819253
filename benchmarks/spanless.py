"""Runs without spans, to measure what recording them costs.

The operations' log stays: hazards are found in it. What is left out is what a trace adds to it,
the host's spans.
"""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from engine import execute
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
    """How much more a run takes with spans, as a share of it: by the clock, of the processor by
    all threads together, and counted from what one span takes."""

    wall: float
    processor: float
    counted: float


@dataclass(frozen=True, slots=True)
class Taken:
    """What a run takes by the clock and of the processor (ns), how many spans it records, and what
    one takes (ns)."""

    wall_ns: int
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
        counted = on.spans * (on.span_ns - off.span_ns) / off.wall_ns
        found.append(
            Overhead(on.wall_ns / off.wall_ns - 1, on.processor_ns / off.processor_ns - 1, counted)
        )
    return found


def _taken(config: RunConfig) -> Taken:
    began_ns = time.process_time_ns()
    run = execute(config)
    processor_ns = time.process_time_ns() - began_ns
    return Taken(run.wall_ns, processor_ns, len(run.device.spans), _span_ns(config))


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
