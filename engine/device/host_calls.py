"""What the host calls alike on every device: events, waits, the allocator, and their failures.

A device adds a clock, and how its queues are worked off: `_pass` lets the host's time go by,
`_block` waits, and `_catch_up` brings a simulated device to where the host is.

What this module does not know: how work is launched, and how it is done.
"""

from abc import abstractmethod
from typing import Generic

from engine.device.allocator import Reached, Temporaries
from engine.device.api import Event, Stream
from engine.device.buffer import Buffer
from engine.device.cost import Jitter
from engine.device.order import EntryT, StreamOrder
from engine.device.recorder import Recorder
from engine.device.settings import Settings
from engine.oplog import HOST, NONE, Op, OpKind, StreamKind


class HostCalls(Recorder, Generic[EntryT]):
    """A recorder that knows the order of its streams, whose entries are of one kind.

    `tails` is what the next entry of each stream stands behind: a device puts the entry there.
    """

    def __init__(self, settings: Settings, tails: list[tuple[EntryT, ...]]) -> None:
        self.cost = settings.cost
        self._blocking_launch = settings.blocking_launch
        self._fault = settings.fault
        self._repairs = settings.repairs
        self._jitter = Jitter(settings.jitter_percent, settings.seed)
        self._order = StreamOrder(tails)
        self._temporaries = Temporaries(self, self._point)
        super().__init__(settings.compute)

    # ------------------------------------------------------ what a device adds

    @abstractmethod
    def _pass(self, cost_ns: int) -> None:
        """Let the host's time go by: a call that costs so much."""

    @abstractmethod
    def _block(self, entries: tuple[EntryT, ...], name: str, waits_for: str) -> None:
        """The host waits for entries: a span as long as the wait."""

    @abstractmethod
    def cold_allocation(self) -> None:
        """What asking the driver for memory costs: the device runs dry, then host time."""

    def _catch_up(self) -> None:
        """Let everything on the device happen that happens up to now."""

    def _add_stream(self, name: str, kind: StreamKind, priority: int) -> Stream:
        self._order.add_stream(kind)
        return super()._add_stream(name, kind, priority)

    def close(self) -> None:
        """Give up what leads back to the device: it is then free with the last who looks at its
        log, and nobody need search for it. The collector would take it for small, for it does
        not know how large tensors are."""
        for name in ("default_stream", "_temporaries"):
            self.__dict__.pop(name, None)

    # -------------------------------------------------------- events and waits

    def record(self, stream: Stream, event: Event) -> None:
        """Let `event` stand for all work of the stream so far."""
        call_ns = self.now_ns
        self._pass(self.cost.event_ns)
        op = self._log(OpKind.RECORD, event.name, stream.info.index, (), (), call_ns)
        if self._order.barring[op.stream]:
            self._bar(op)
        event.record_op = op
        self._order.record(op.seq, op.stream)

    def wait(self, stream: Stream, event: Event) -> None:
        """Hold the stream back until the event's present record; never recorded: no-op."""
        call_ns = self.now_ns
        self._pass(self.cost.event_ns)
        op = self._log(OpKind.WAIT, event.name, stream.info.index, (), (), call_ns)
        if self._order.barring[op.stream]:
            self._bar(op)
        if event.record_op is not None:
            op.target = event.record_op.seq
            self._order.hold(op.stream, self._order.recorded(op.target))

    def _bar(self, op: Op) -> None:
        """Hold an operation back behind the legacy default stream's barrier.

        Records and waits are actions of their stream, too.
        """
        self._catch_up()
        barrier = self._order.barrier(op.stream)
        self._order.hold(op.stream, barrier)
        op.depends = tuple((entry.seq, "barrier") for entry in barrier)

    def synchronize_event(self, event: Event, name: str) -> None:
        """Block the host until the event's last record is reached; at once if there is none."""
        if event.record_op is None:
            self._log(OpKind.SYNC_OP, name, HOST, (), (), self.now_ns)
        else:
            seq = event.record_op.seq
            self._block_on(self._order.recorded(seq), seq, name, "event")

    def synchronize_stream(self, stream: Stream, name: str) -> None:
        """Block the host until all earlier work of the stream is done."""
        call_ns, index = self.now_ns, stream.info.index
        self._block(self._behind(index), name, "stream")
        self._log_sync(OpKind.SYNC_STREAM, name, index, call_ns)

    def synchronize(self, name: str = "device synchronize") -> None:
        """Block the host until every stream is empty."""
        call_ns = self.now_ns
        self._catch_up()
        self._block(self._order.everything(), name, "device")
        self._log_sync(OpKind.SYNC_DEVICE, name, HOST, call_ns)

    def check(self, step: int) -> None:
        """Raise BatchError where a wait has reported that work of this batch failed."""
        if self._fault is not None:
            self._fault.check(step)

    def _block_on(
        self, entries: tuple[EntryT, ...], target: int, name: str, waits_for: str
    ) -> None:
        """The host waits for operation `target`, which stands for `entries`."""
        call_ns = self.now_ns
        self._block(entries, name, waits_for)
        self._log_sync(OpKind.SYNC_OP, name, HOST, call_ns, target)

    def _log_sync(
        self, kind: OpKind, name: str, stream: int, call_ns: int, target: int = NONE
    ) -> None:
        """The host knows that `target`, a stream or all is done: it may hear of a failure."""
        op = self._log(kind, name, stream, (), (), call_ns)
        op.target = target
        if self._fault is not None:
            self._fault.waited(op, NONE if target == NONE else self.log.ops[target].step)

    def _behind(self, stream: int) -> tuple[EntryT, ...]:
        """What is still to be done on a stream."""
        self._catch_up()
        return self._order.behind(stream)

    # --------------------------------------------------- the caching allocator

    def allocate(self, nbytes: int, stream: Stream, label: str) -> Buffer:
        """Device memory for a stream; where the pool is cold the host waits for the device."""
        self._catch_up()
        buffer = self._temporaries.allocate(nbytes, stream, label)
        op = self._log(OpKind.ALLOC, f"allocate {label}", HOST, (), (), self.now_ns)
        op.memory = buffer.info.index
        return buffer

    def free(self, buffer: Buffer) -> None:
        """Give memory back. Raises ValueError when it is not an allocation or freed twice."""
        self._temporaries.free(buffer)
        op = self._log(OpKind.FREE, f"free {buffer.info.label}", HOST, (), (), self.now_ns)
        op.memory = buffer.info.index

    def record_stream(self, buffer: Buffer, stream: Stream) -> None:
        """Tell the allocator that another stream uses this memory too."""
        self._temporaries.record_stream(buffer, stream)

    def _point(self, stream: int) -> Reached:
        """An event of the allocator: once it is found reached, the host knows it, too."""
        entries = self._behind(stream)
        target = next((op.seq for op in reversed(self.log.ops) if op.stream == stream), NONE)

        def reached() -> bool:
            done = all(entry.done for entry in entries)
            if done:
                op = self._log(OpKind.SYNC_OP, "allocator event", HOST, (), (), self.now_ns)
                op.target = target
            return done

        return reached

    # ----------------------------------------------- fixes of the hazard checker

    def _repair_before(self, stream: Stream | None, name: str) -> None:
        """Wait for what a fix says must come before the operation `name`."""
        if self._repairs is not None:
            self._repairs.before(self, stream, name, self.context.step)  # type: ignore[arg-type]

    def _repair_after(self, stream: Stream, name: str) -> None:
        """Record the event that a fix needs behind the operation `name`."""
        if self._repairs is not None:
            self._repairs.after(self, stream, name, self.context.step)  # type: ignore[arg-type]
