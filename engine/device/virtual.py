"""The virtual device: CUDA's ordering rules on a modelled clock, computing for real.

The host and the device share one integer-nanosecond time line. Host work, launches and
synchronisation move the host's clock; the device follows by simulation, and never runs
ahead of what the host has issued. Kernels run real torch code: they read their inputs
at the modelled instant they start and write their outputs at the instant they end, and
copies move in pieces, so a missing dependency corrupts data exactly as on a GPU.

Same configuration and seed: the same log and times, to the byte.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.device.allocator import Reached, Temporaries
from engine.device.api import Buffer, Event, Kernel, Stream
from engine.device.clocks import Clocks
from engine.device.effects import move_in_chunks, move_rows_in_chunks, run_body
from engine.device.settings import Settings
from engine.device.simulator import Task
from engine.oplog import HOST, NONE, Access, OpKind, rows_mask


class VirtualDevice(Clocks):
    """A `Device` on a simulated clock; see engine.device.api for the protocol."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._blocking_launch = settings.blocking_launch
        self._repairs = settings.repairs
        self._temporaries = Temporaries(self, self._point)

    # ------------------------------------------------------------ device work

    def launch(self, stream: Stream, called: str, kernels: tuple[Kernel, ...]) -> None:
        """The host pays one launch; the stream gets the kernels, one after the other."""
        if self._repairs is not None:
            for kernel in kernels:
                self._repairs.before(self, stream, kernel.name, self.context.step)
        cost, info, call_ns = self.cost, stream.info, self.now_ns
        self._pass(self._jitter.apply(cost.launch_ns))
        first = len(self.log.ops)
        for kernel in kernels:
            name, family, reads, writes, body, tokens, share = kernel
            op = self._log(OpKind.KERNEL, name, info.index, reads, writes, call_ns)
            if name != called:
                op.graph, op.replay = called, first
            work_ns = self._jitter.apply(self._kernel_work_ns(family, share, tokens))
            task = Task(
                op.seq, info.index, work_ns, "",
                cost.occupancy, cost.kernel_bandwidth, info.priority,
            )  # fmt: skip
            fails = self._fault is not None and self._fault.strikes(op, task)
            if body is not None and self.compute and not fails:
                run_body(task, body)
            self._enqueue(task, op)
        if self._blocking_launch:
            self._block_on((task,), task.seq, "blocking launch", "launch")
        if self._repairs is not None:
            for kernel in kernels:
                self._repairs.after(self, stream, kernel.name, self.context.step)

    def copy(
        self, stream: Stream, dst: Buffer, src: Buffer, rows: int, share: tuple[int, int] = (0, 1)
    ) -> None:
        """Copy rows between host and device; a pageable host buffer blocks the host."""
        to_device, info, cost = src.info.on_host, stream.info, self.cost
        kind, engine = (OpKind.H2D, "h2d") if to_device else (OpKind.D2H, "d2h")
        name, call_ns = f"{engine} {src.info.label}", self.now_ns
        if self._repairs is not None:
            self._repairs.before(self, stream, name, self.context.step)
        pageable = not (src.pinned if to_device else dst.pinned)
        work_ns = self._jitter.apply(self._copy_work_ns(to_device, share, pageable))
        self._pass(self._jitter.apply(cost.launch_ns))
        moves = dst.data is not None and src.data is not None
        source = src.array if moves else None
        reads: tuple[Access, ...] = (src.first(rows),)
        if pageable and to_device:
            source = self._stage(src, reads, work_ns)
            reads = ()
        nbytes = rows * src.row_bytes
        op = self._log(kind, name, info.index, reads, (dst.first(rows),), call_ns, nbytes)
        engine = "copy" if cost.copy_engines == 1 else engine
        task = Task(op.seq, info.index, work_ns, engine, 0, cost.copy_bandwidth, info.priority)
        fails = self._fault is not None and self._fault.strikes(op, task)
        if moves and source is not None and not fails:
            move_in_chunks(task, dst.array, source, rows, cost.chunks)
        self._enqueue(task, op)
        if self._repairs is not None:
            self._repairs.after(self, stream, name, self.context.step)
        if pageable and not to_device:
            self._block_on((task,), task.seq, "pageable copy", "copy")

    def copy_rows(
        self, stream: Stream, dst: Buffer, to_rows: Sequence[int], src: Buffer,
        from_rows: Sequence[int], share: tuple[int, int] = (0, 1),
    ) -> None:  # fmt: skip
        """Copy any rows between the device and pinned host memory."""
        info, cost = stream.info, self.cost
        kind, engine = (OpKind.H2D, "h2d") if src.info.on_host else (OpKind.D2H, "d2h")
        name, call_ns = f"{engine} {src.info.label}", self.now_ns
        if self._repairs is not None:
            self._repairs.before(self, stream, name, self.context.step)
        self._pass(self._jitter.apply(cost.launch_ns))
        reads, writes = (src.rows(rows_mask(from_rows)),), (dst.rows(rows_mask(to_rows)),)
        nbytes = len(to_rows) * src.info.nbytes // src.info.rows
        op = self._log(kind, name, info.index, reads, writes, call_ns, nbytes)
        engine = "copy" if cost.copy_engines == 1 else engine
        work_ns = self._jitter.apply(cost.rows_work_ns(len(to_rows), share))
        task = Task(op.seq, info.index, work_ns, engine, 0, cost.copy_bandwidth, info.priority)
        if dst.data is not None and src.data is not None:
            move_rows_in_chunks(task, dst.data, to_rows, src.data, from_rows, cost.chunks)
        self._enqueue(task, op)
        if self._repairs is not None:
            self._repairs.after(self, stream, name, self.context.step)

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

    # ------------------------------------------------- the host's own actions

    def write(self, name: str, parts: Sequence[tuple[Buffer, int, Any]]) -> None:
        """The host fills the first rows of host buffers, at this instant."""
        if self._repairs is not None:
            self._repairs.before(self, None, name, self.context.step)
        call_ns = self.now_ns
        writes = tuple([buffer.first(rows) for buffer, rows, _ in parts])
        self._log(OpKind.HOST_WRITE, name, HOST, (), writes, call_ns)
        self._simulator.advance(self.now_ns)
        if self.compute:
            self._fill(parts)

    def read(self, name: str, buffer: Buffer, rows: int) -> list[Any]:
        """The host reads the first rows of a host buffer, as they are at this instant."""
        if self._repairs is not None:
            self._repairs.before(self, None, name, self.context.step)
        call_ns = self.now_ns
        self._log(OpKind.HOST_READ, name, HOST, (buffer.first(rows),), (), call_ns)
        self._simulator.advance(self.now_ns)
        return [0] * rows if buffer.data is None else self._values(buffer, rows)

    def synchronize_event(self, event: Event, name: str) -> None:
        """Block the host until the event's last record is reached; at once if there is none."""
        if event.record_op is None:
            self._log(OpKind.SYNC_OP, name, HOST, (), (), self.now_ns)
        else:
            seq = event.record_op.seq
            self._block_on(self._order.recorded(seq), seq, name, "event")

    def query_event(self, event: Event, name: str) -> bool:
        """Whether the event's last record is reached; the call costs the host `event_ns`."""
        call_ns = self.now_ns
        self._pass(self.cost.event_ns)
        self._simulator.advance(self.now_ns)
        target = NONE if event.record_op is None else event.record_op.seq
        if target != NONE and not all(task.done for task in self._order.recorded(target)):
            return False
        op = self._log(OpKind.SYNC_OP, name, HOST, (), (), call_ns)
        op.target = target
        if self._fault is not None and target != NONE:
            self._fault.waited(op, self.log.ops[target].step)
        return True

    def synchronize_stream(self, stream: Stream, name: str) -> None:
        """Block the host until all earlier work of the stream is done."""
        call_ns = self.now_ns
        self._block(self._behind(stream.info.index), name, "stream")
        op = self._log(OpKind.SYNC_STREAM, name, stream.info.index, (), (), call_ns)
        if self._fault is not None:
            self._fault.waited(op)

    def synchronize(self, name: str = "device synchronize") -> None:
        """Block the host until every stream is empty."""
        call_ns = self.now_ns
        self._simulator.advance(self.now_ns)
        self._block(self._order.everything(), name, "device")
        op = self._log(OpKind.SYNC_DEVICE, name, HOST, (), (), call_ns)
        if self._fault is not None:
            self._fault.waited(op)

    def check(self, step: int) -> None:
        """Raise BatchError where a wait has reported that work of this batch failed."""
        if self._fault is not None:
            self._fault.check(step)

    def allocate(self, nbytes: int, stream: Stream, label: str) -> Buffer:
        """Device memory for a stream; where the pool is cold the host waits for the device."""
        self._simulator.advance(self.now_ns)
        buffer = self._temporaries.allocate(nbytes, stream, label)
        self._log(OpKind.ALLOC, f"allocate {label}", HOST, (), (), self.now_ns)
        self.log.ops[-1].memory = buffer.info.index
        return buffer

    def cold_allocation(self) -> None:
        """What asking the driver for memory costs: the device runs dry, then host time."""
        self.synchronize("cold allocation")
        work_ns = self._jitter.apply(self.cost.alloc_ns)
        self._span("cold allocation", work_ns)
        self._pass(work_ns)

    def free(self, buffer: Buffer) -> None:
        """Give memory back. Raises ValueError when it is not an allocation or freed twice."""
        self._temporaries.free(buffer)
        self._log(OpKind.FREE, f"free {buffer.info.label}", HOST, (), (), self.now_ns)
        self.log.ops[-1].memory = buffer.info.index

    def record_stream(self, buffer: Buffer, stream: Stream) -> None:
        """Tell the allocator that another stream uses this memory too."""
        self._temporaries.record_stream(buffer, stream)

    def _point(self, stream: int) -> Reached:
        """An event of the allocator: once it is found reached, the host knows it, too."""
        tasks = self._behind(stream)
        target = next((op.seq for op in reversed(self.log.ops) if op.stream == stream), NONE)

        def reached() -> bool:
            done = all(task.done for task in tasks)
            if done:
                op = self._log(OpKind.SYNC_OP, "allocator event", HOST, (), (), self.now_ns)
                op.target = target
            return done

        return reached

    # -------------------------------------------------------------- machinery

    def _fill(self, parts: Sequence[tuple[Buffer, int, Any]]) -> None:
        """What `write` does to memory."""
        for buffer, rows, values in parts:
            buffer.array[:rows] = values

    def _values(self, buffer: Buffer, rows: int) -> list[Any]:
        """What `read` finds in memory."""
        values: list[Any] = buffer.array[:rows].tolist()
        return values

    def _stage(self, src: Buffer, reads: tuple[Access, ...], work_ns: int) -> np.ndarray | None:
        """A pageable source is copied aside while the host is blocked: safe, but not async."""
        self._log(OpKind.HOST_READ, "stage", HOST, reads, (), self.now_ns)
        self._span("pageable copy", work_ns, "copy")
        self._pass(work_ns)
        self._simulator.advance(self.now_ns)
        return None if src.data is None else src.array.copy()
