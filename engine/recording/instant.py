"""What holds at an instant of a finished run: rebuilt from its log, and from nothing that runs.

The log says when each operation was called, when it ran, and what it touches. What it does not
hold, the content of memory and the state of requests, is in the run's journal
(`engine.recording.journal`); `engine.recording.recording` joins the two.
"""

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass

from engine.checker.happens_before import HOST_KINDS
from engine.checker.reached import over_ns
from engine.oplog import NONE, Op, OpKind, OpLog
from engine.recording.batch_times import BatchTimes, batch_times

MOST_BATCHES = 6
"""Batches shown at an instant: those that are not over, and the last one that is."""


@dataclass(frozen=True, slots=True)
class StreamState:
    """A stream: the operations the host has called and that are not over, first in line first.

    `running` of them are under way (0 or 1); the others wait.
    """

    name: str
    queue: tuple[Op, ...]
    running: int


@dataclass(frozen=True, slots=True)
class EventState:
    """An event of batch `step` that has been recorded; `is_set` once the record is reached."""

    name: str
    step: int
    is_set: bool


@dataclass(frozen=True, slots=True)
class SlotState:
    """A slot: whose it is since that batch was launched, and who fills it now (NONE: nobody)."""

    side: str
    slot: int
    owner: int
    filling: int


class Instants:
    """Answers for any instant what streams, events, batches and slots were like."""

    def __init__(self, log: OpLog) -> None:
        self.log = log
        self.over = over_ns(log)
        self.batches = batch_times(log)
        self._queues: dict[int, list[Op]] = defaultdict(list)
        for op in log:
            if op.kind not in HOST_KINDS:
                self._queues[op.stream].append(op)
        self._records = [op for op in log if op.kind is OpKind.RECORD and op.step != NONE]

    def streams_at(self, at_ns: int) -> tuple[StreamState, ...]:
        """Every stream that the run uses."""
        return tuple(
            self._stream(stream.name, self._queues[stream.index], at_ns)
            for stream in self.log.streams
            if self._queues[stream.index]
        )

    def _stream(self, name: str, ops: list[Op], at_ns: int) -> StreamState:
        first = bisect_right(ops, at_ns, key=lambda op: self.over[op.seq])
        last = bisect_right(ops, at_ns, key=lambda op: op.issue_ns)
        queue = tuple(ops[first:last])
        works = [op for op in queue[:1] if op.kind not in (OpKind.RECORD, OpKind.WAIT)]
        return StreamState(name, queue, sum(op.start_ns <= at_ns for op in works))

    def running_at(self, at_ns: int) -> list[Op]:
        """The operations under way, one a stream at most."""
        return [stream.queue[0] for stream in self.streams_at(at_ns) if stream.running]

    def batches_at(self, at_ns: int) -> list[BatchTimes]:
        """The batches that are not over, and the last one that is."""
        begun = [batch for batch in self.batches if batch.begun <= at_ns][-64:]
        over = [batch for batch in begun if batch.is_over(at_ns)][-1:]
        return [b for b in begun if b in over or not b.is_over(at_ns)][-MOST_BATCHES:]

    def events_at(self, at_ns: int) -> list[EventState]:
        """The events of the batches of that instant, as far as they were recorded."""
        steps = {batch.step for batch in self.batches_at(at_ns)}
        return [
            EventState(op.name, op.step, self.over[op.seq] <= at_ns)
            for op in self._records
            if op.step in steps and op.issue_ns <= at_ns
        ]

    def slots_at(self, at_ns: int) -> list[SlotState]:
        """The host's slots and the device's."""
        host = {b.host_slot for b in self.batches if b.host_slot != NONE}
        device = {b.device_slot for b in self.batches if b.device_slot != NONE}
        return [
            *(self._slot("host", slot, at_ns) for slot in sorted(host)),
            *(self._slot("device", slot, at_ns) for slot in sorted(device)),
        ]

    def _slot(self, side: str, slot: int, at_ns: int) -> SlotState:
        on_host = side == "host"
        owner = filling = NONE
        for batch in self.batches:
            if slot == (batch.host_slot if on_host else batch.device_slot):
                taken_ns = batch.begun if on_host else batch.sent
                if NONE < batch.returned <= at_ns:
                    owner = batch.step
                elif NONE < taken_ns <= at_ns:
                    filling = batch.step
        return SlotState(side, slot, owner, filling)
