"""A device's host spans and steps, told to a profiler while they happen.

A span is a range inside the ranges open at that time. A step is one from the beginning of its
first span to the end of its last; steps overlap, as batches in flight do.

What this module does not know: which profiler, and which device.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from engine.device.api import Device
from engine.device.buffer import Buffer
from engine.device.cost import HOST_STEPS
from engine.device.settings import Settings

MakeDevice = Callable[[Settings], Device]


class Profiler(Protocol):
    """Whoever draws ranges."""

    def push(self, name: str) -> None:
        """A span begins."""

    def pop(self) -> None:
        """The span that began last ends."""

    def begin(self, step: int) -> Any:  # noqa: ANN401 - the profiler's own handle
        """A step begins; returns what `end` is given."""

    def end(self, handle: Any) -> None:  # noqa: ANN401
        """That step ends."""


def told_to(profiler: Profiler, make: MakeDevice) -> MakeDevice:
    """Devices as `make` makes them, whose spans and steps `profiler` is told of."""
    device_class: Any = make

    class Told(device_class):  # type: ignore[misc] # every device opens its spans in these methods
        def __init__(self, settings: Settings) -> None:
            self._steps: dict[int, Any] = {}
            super().__init__(settings)

        @contextmanager
        def host(self, name: str, units: int = 1) -> Iterator[None]:
            step = self.context.step
            if name == HOST_STEPS[0]:
                self._steps[step] = profiler.begin(step)
            with self._range(name), super().host(name, units):
                yield
            if name == HOST_STEPS[-1] and step in self._steps:
                profiler.end(self._steps.pop(step))

        def close(self) -> None:
            super().close()
            for step in [*self._steps]:
                profiler.end(self._steps.pop(step))

        def cold_allocation(self) -> None:
            with self._range("cold allocation"):
                super().cold_allocation()

        def _block(self, entries: Any, name: str, waits_for: str) -> None:  # noqa: ANN401
            with self._range(name):
                super()._block(entries, name, waits_for)

        def _stage(self, src: Buffer, *arguments: Any) -> Any:  # noqa: ANN401
            with self._range("pageable copy"):
                return super()._stage(src, *arguments)

        @contextmanager
        def _range(self, name: str) -> Iterator[None]:
            profiler.push(name)
            try:
                yield
            finally:
                profiler.pop()

    return Told
