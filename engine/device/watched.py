"""A virtual device that tells a watcher what becomes of memory, and when host time passes.

For a run that is to be looked at instant by instant (`engine.recording.journal`). Nothing is
changed: the log and every time in it are those of the plain device.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import torch

from engine.device.api import Event
from engine.device.buffer import Buffer
from engine.device.ranges import MakeDevice
from engine.device.simulator import Task, Tasks
from engine.device.virtual import VirtualDevice
from engine.oplog import NONE, Op


class Watcher(Protocol):
    """Who is told."""

    def made(self, buffer: Buffer) -> None:
        """There is new memory."""

    def wrote(self, op: Op, at_ns: int) -> None:
        """An operation, or a piece of it, has just changed the memory that it writes."""

    def looks(self, at_ns: int) -> None:
        """Host time is about to pass: what the host has done so far, it has done by now."""

    def asked(self, start_ns: int, end_ns: int) -> None:
        """The host asked whether an event is reached; a no is not logged."""


class WatchedDevice(VirtualDevice):
    """A `VirtualDevice` with a watcher."""

    _watcher: Watcher

    def buffer(
        self,
        resource: str,
        label: str,
        shape: Sequence[int],
        *,
        on_host: bool = False,
        slot: int = NONE,
        pinned: bool = True,
        dtype: torch.dtype = torch.int64,
    ) -> Buffer:
        """As `VirtualDevice.buffer`."""
        made = super().buffer(
            resource, label, shape, on_host=on_host, slot=slot, pinned=pinned, dtype=dtype
        )
        self._watcher.made(made)
        return made

    def write(self, name: str, parts: Sequence[tuple[Buffer, int, Any]]) -> None:
        """As `VirtualDevice.write`."""
        super().write(name, parts)
        self._watcher.wrote(self.log.ops[-1], self.now_ns)

    def query_event(self, event: Event, name: str) -> bool:
        """As `VirtualDevice.query_event`."""
        start_ns = self.now_ns
        answer = super().query_event(event, name)
        self._watcher.asked(start_ns, self.now_ns)
        return answer

    def finish(self) -> None:
        """As `VirtualDevice.finish`."""
        self._watcher.looks(self.now_ns)
        super().finish()

    def _pass(self, cost_ns: int) -> None:
        self._watcher.looks(self.now_ns)
        super()._pass(cost_ns)

    def _block(self, entries: Tasks, name: str, waits_for: str) -> None:
        self._watcher.looks(self.now_ns)
        super()._block(entries, name, waits_for)

    def _enqueue(self, task: Task, op: Op) -> None:
        effect = task.on_mark

        def told(mark: int) -> None:
            if effect is not None:
                effect(mark)
            self._watcher.wrote(op, self._simulator.now_ns)

        if op.writes:
            task.on_mark = told
        super()._enqueue(task, op)


def watched_by(watcher: Watcher) -> MakeDevice:
    """Virtual devices that tell `watcher`."""

    class Watched(WatchedDevice):
        _watcher = watcher

    return Watched
