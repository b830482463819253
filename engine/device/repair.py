"""Fixes of the hazard checker, applied by the machine while a run is issued.

A fix says: operation `before` of step n must come after operation `after` of step
n - `steps_back`. The device records an event behind every `after` and makes `before`
wait for the right one of each stream: on its own, or on the host where the host itself is late.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.checker.fixes import Edge

if TYPE_CHECKING:
    from engine.device.api import Device, Event, Stream


class Repairs:
    """The edges to add, and the events recorded for them so far."""

    def __init__(self, edges: Iterable[Edge]) -> None:
        self._by_before: dict[str, list[Edge]] = defaultdict(list)
        self._afters: set[str] = set()
        self._events: dict[tuple[str, int], dict[int, Event]] = defaultdict(dict)
        for edge in edges:
            self._by_before[edge.before].append(edge)
            self._afters.add(edge.after)

    def before(self, device: "Device", stream: "Stream | None", name: str, step: int) -> None:
        """Called before `name` is issued: wait for what the fixes say."""
        for edge in self._by_before.get(name, ()):
            for event in self._events.get((edge.after, step - edge.steps_back), {}).values():
                if stream is None:
                    device.synchronize_event(event, f"wait {event.name}")
                else:
                    device.wait(stream, event)

    def after(self, device: "Device", stream: "Stream", name: str, step: int) -> None:
        """Called after `name` is issued: record an event for the fixes that need one."""
        if name in self._afters:
            event = device.event(f"{name} done")
            device.record(stream, event)
            self._events[name, step][stream.info.index] = event
