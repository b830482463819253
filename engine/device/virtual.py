"""The virtual device: CUDA's ordering rules on a modelled clock, computing for real.

The host and the device share one integer-nanosecond time line. Host work, launches and
synchronisation move the host's clock; the device follows by simulation, and never runs
ahead of what the host has issued. Kernels run real torch code: they read their inputs
at the modelled instant they start and write their outputs at the instant they end, and
copies move in pieces, so a missing dependency corrupts data exactly as on a GPU.

Same configuration and seed: the same log and times, to the byte.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from engine.device.api import Event, Kernel, Stream
from engine.device.buffer import Buffer
from engine.device.clocks import Clocks
from engine.device.effects import move_in_chunks, move_rows_in_chunks, run_body
from engine.device.simulator import Task
from engine.oplog import HOST, Access, OpKind, rows_mask

COPIES = {True: (OpKind.H2D, "h2d"), False: (OpKind.D2H, "d2h")}
"""What a copy to the device (True) or to the host is, and the engine that makes it."""


@cache
def copy_name(engine: str, label: str) -> str:
    """What a copy is called in the log; the same text each time, for logs are long."""
    return f"{engine} {label}"


class VirtualDevice(Clocks):
    """A `Device` on a simulated clock; see engine.device.api for the protocol."""

    # ------------------------------------------------------------ device work

    def launch(self, stream: Stream, called: str, kernels: tuple[Kernel, ...]) -> None:
        """The host pays one launch; the stream gets the kernels, one after the other."""
        if self._repairs is not None:
            for kernel in kernels:
                self._repair_before(stream, kernel.name)
        cost, info, call_ns = self.cost, stream.info, self.now_ns
        self._pass(self._launch_work_ns())
        first = len(self.log.ops)
        for kernel in kernels:
            body, reads, writes = kernel.body, kernel.reads, kernel.writes
            op = self._log(OpKind.KERNEL, kernel.name, info.index, reads, writes, call_ns)
            if op.name != called:
                op.graph, op.replay = called, first
            work_ns = self._kernel_work_ns(kernel.family, kernel.share, kernel.tokens)
            task = Task(
                op.seq, info.index, work_ns, op, "",
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
                self._repair_after(stream, kernel.name)

    def copy(
        self, stream: Stream, dst: Buffer, src: Buffer, rows: int, share: tuple[int, int] = (0, 1)
    ) -> None:
        """Copy rows between host and device; a pageable host buffer blocks the host."""
        to_device, info, cost = src.info.on_host, stream.info, self.cost
        kind, engine = COPIES[to_device]
        name, call_ns = copy_name(engine, src.info.label), self.now_ns
        if self._repairs is not None:
            self._repair_before(stream, name)
        pageable = not (src.pinned if to_device else dst.pinned)
        work_ns = self._copy_work_ns(to_device, share, pageable)
        self._pass(self._launch_work_ns())
        reads: tuple[Access, ...] = src.only_first(rows)
        staged = None
        if pageable and to_device:
            staged, reads = self._stage(src, reads, work_ns), ()
        writes, nbytes = dst.only_first(rows), rows * src.row_bytes
        op = self._log(kind, name, info.index, reads, writes, call_ns, nbytes)
        if cost.copy_engines == 1:
            engine = "copy"
        task = Task(
            op.seq, info.index, work_ns, op, engine, 0, cost.copy_bandwidth, info.priority
        )  # fmt: skip
        fails = self._fault is not None and self._fault.strikes(op, task)
        if dst.data is not None and not fails:
            source = src.array if staged is None else staged
            move_in_chunks(task, dst.array, source, rows, cost.chunks)
        self._enqueue(task, op)
        if self._repairs is not None:
            self._repair_after(stream, name)
        if pageable and not to_device:
            self._block_on((task,), task.seq, "pageable copy", "copy")

    def copy_rows(
        self, stream: Stream, dst: Buffer, to_rows: Sequence[int], src: Buffer,
        from_rows: Sequence[int], share: tuple[int, int] = (0, 1),
    ) -> None:  # fmt: skip
        """Copy any rows between the device and pinned host memory."""
        info, cost = stream.info, self.cost
        kind, engine = COPIES[src.info.on_host]
        name, call_ns = copy_name(engine, src.info.label), self.now_ns
        if self._repairs is not None:
            self._repair_before(stream, name)
        self._pass(self._launch_work_ns())
        reads, writes = (src.rows(rows_mask(from_rows)),), (dst.rows(rows_mask(to_rows)),)
        nbytes = len(to_rows) * src.info.nbytes // src.info.rows
        op = self._log(kind, name, info.index, reads, writes, call_ns, nbytes)
        engine = "copy" if cost.copy_engines == 1 else engine
        work_ns = self._jitter.apply(cost.rows_work_ns(len(to_rows), share))
        task = Task(
            op.seq, info.index, work_ns, op, engine, 0, cost.copy_bandwidth, info.priority
        )  # fmt: skip
        if dst.data is not None and src.data is not None:
            move_rows_in_chunks(task, dst.data, to_rows, src.data, from_rows, cost.chunks)
        self._enqueue(task, op)
        if self._repairs is not None:
            self._repair_after(stream, name)

    # ------------------------------------------------- the host's own actions

    def write(self, name: str, parts: Sequence[tuple[Buffer, int, Any]]) -> None:
        """The host fills the first rows of host buffers, at this instant."""
        if self._repairs is not None:
            self._repair_before(None, name)
        call_ns = self.now_ns
        writes = tuple([buffer.first(rows) for buffer, rows, _ in parts])
        self._log(OpKind.HOST_WRITE, name, HOST, (), writes, call_ns)
        self._catch_up()
        if self.compute:
            self._fill(parts)

    def read(self, name: str, buffer: Buffer, rows: int) -> list[Any]:
        """The host reads the first rows of a host buffer, as they are at this instant."""
        if self._repairs is not None:
            self._repair_before(None, name)
        call_ns = self.now_ns
        self._log(OpKind.HOST_READ, name, HOST, buffer.only_first(rows), (), call_ns)
        self._catch_up()
        return [0] * rows if buffer.data is None else self._values(buffer, rows)

    def query_event(self, event: Event, name: str) -> bool:
        """Whether the event's last record is reached; the call costs the host `event_ns`."""
        call_ns = self.now_ns
        self._pass(self.cost.event_ns)
        self._catch_up()
        if event.record_op is None:
            self._log(OpKind.SYNC_OP, name, HOST, (), (), call_ns)
            return True
        target = event.record_op.seq
        if not all(task.done for task in self._order.recorded(target)):
            return False
        self._log_sync(OpKind.SYNC_OP, name, HOST, call_ns, target)
        return True

    def cold_allocation(self) -> None:
        """What asking the driver for memory costs: the device runs dry, then host time."""
        self.synchronize("cold allocation")
        work_ns = self._jitter.apply(self.cost.alloc_ns)
        self._span("cold allocation", work_ns)
        self._pass(work_ns)

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
        self._catch_up()
        return None if src.data is None else src.array.copy()
