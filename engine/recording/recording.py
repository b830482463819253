"""A finished run that can be looked at instant by instant, forward and back.

The run is made once, with a journal; an instant is then looked up, never run again. So any
instant costs the same, and going back gives the picture that was there before.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from functools import cached_property

from engine.config import RunConfig
from engine.execution import Run, execute
from engine.recording.batch_times import BatchTimes
from engine.recording.history import Blocks, RequestState
from engine.recording.host_place import HostPlaces, Place
from engine.recording.instant import EventState, Instants, SlotState, StreamState
from engine.recording.journal import Journal
from engine.recording.memory_at import BufferState, buffers_at


@dataclass(frozen=True)
class Snapshot:
    """Everything that holds at an instant, but for the content of memory."""

    at_ns: int
    host: Place
    streams: tuple[StreamState, ...]
    events: list[EventState]
    batches: list[BatchTimes]
    slots: list[SlotState]
    requests: list[RequestState]
    blocks: Blocks


@dataclass(eq=False)
class Recording:
    """A run with its journal."""

    run: Run
    journal: Journal

    @cached_property
    def _instants(self) -> Instants:
        return Instants(self.run.device.log)

    @cached_property
    def _places(self) -> HostPlaces:
        device = self.run.device
        return HostPlaces(device.log, device.spans, self.journal.queries)

    @cached_property
    def times(self) -> list[int]:
        """The instants at which something changes (ns), ascending; 0 and the end among them."""
        found = {0, self.run.wall_ns, *self._instants.over.values()}
        for op in self.run.device.log:
            found |= {op.call_ns, op.issue_ns, op.start_ns, op.end_ns}
        for span in self.run.device.spans:
            found |= {span.start_ns, span.end_ns}
        for images in self.journal.images:
            found |= {image.at_ns for image in images}
        return sorted(at_ns for at_ns in found if at_ns <= self.run.wall_ns)

    @property
    def batches(self) -> list[BatchTimes]:
        """All batches of the run, by step."""
        return self._instants.batches

    def step(self, at_ns: int, events: int) -> int:
        """The instant so many changes later (or, negative, earlier), as far as there are any."""
        times = self.times
        index = bisect_right(times, at_ns) - 1 if events >= 0 else bisect_left(times, at_ns)
        return times[min(max(index + events, 0), len(times) - 1)]

    def at(self, at_ns: int) -> Snapshot:
        """What holds at an instant: after all that happens up to it and at it."""
        instants, history = self._instants, self.journal.history
        return Snapshot(
            at_ns,
            self._places.at(at_ns),
            instants.streams_at(at_ns),
            instants.events_at(at_ns),
            instants.batches_at(at_ns),
            instants.slots_at(at_ns),
            history.requests_at(at_ns),
            history.blocks_at(at_ns),
        )

    def buffers_at(self, at_ns: int, *resources: str) -> list[BufferState]:
        """The buffers of some resources, in the order in which they were made."""
        log = self.run.device.log
        return buffers_at(log, self.journal, self._instants, at_ns, resources)


def record(config: RunConfig) -> Recording:
    """Run a configuration to its end and keep what is needed to look at any instant of it."""
    journal = Journal()
    return Recording(execute(replace(config, stop_at_ns=None), journal=journal), journal)
