"""The device of threads: one worker a stream, real computing, the clock on the wall.

The ordering rules are those of the virtual device. What a cost model says is the least that a
piece of work takes; with a cost model of zeros each takes what it really takes. Kernels that run
at once share the machine's cores as they can: occupancy, bandwidth and priorities, which the
virtual device models, mean nothing here.
"""

from collections.abc import Sequence
from typing import Any

import torch

from engine.device.acts import Act, copy_act, copy_rows_act, kernel_act
from engine.device.api import Event, Kernel, Stream
from engine.device.buffer import Buffer
from engine.device.worker import Work
from engine.device.workers import Workers
from engine.oplog import HOST, Access, OpKind, rows_mask


class ThreadsDevice(Workers):
    """A `Device` of threads; see engine.device.api for the protocol. It must be closed."""

    # ------------------------------------------------------------ device work

    def launch(self, stream: Stream, called: str, kernels: tuple[Kernel, ...]) -> None:
        """One launch; the stream gets the kernels, one after the other."""
        for kernel in kernels:
            self._repair_before(stream, kernel.name)
        call_ns, index = self.now_ns, stream.info.index
        self._pass(self.cost.launch_ns)
        first = len(self.log.ops)
        for kernel in kernels:
            op = self._log(
                OpKind.KERNEL, kernel.name, index, kernel.reads, kernel.writes, call_ns
            )  # fmt: skip
            if kernel.name != called:
                op.graph, op.replay = called, first
            act = kernel_act(kernel.body) if kernel.body is not None and self.compute else None
            pace_ns = self.cost.kernel_work_ns(kernel.family, kernel.share, kernel.tokens)
            work = self._enqueue(op, act, pace_ns)
        if self._blocking_launch:
            self._block_on((work,), work.seq, "blocking launch", "launch")
        for kernel in kernels:
            self._repair_after(stream, kernel.name)

    def copy(
        self, stream: Stream, dst: Buffer, src: Buffer, rows: int, share: tuple[int, int] = (0, 1)
    ) -> None:
        """Copy rows between host and device; a pageable host buffer blocks the host."""
        to_device = src.info.on_host
        pageable = not (src.pinned if to_device else dst.pinned)
        pace_ns = self.cost.copy_work_ns(to_device, share, pageable)
        self._repair_before(stream, _copy_name(src))
        source = src.data
        reads: tuple[Access, ...] = (src.first(rows),)
        if pageable and to_device:
            source, reads = self._stage(src, reads, pace_ns), ()
        act = None
        if dst.data is not None and source is not None:
            act = self._copying(dst.data, source, rows)
        nbytes = rows * src.row_bytes
        work = self._queue_copy(stream, src, reads, (dst.first(rows),), act, pace_ns, nbytes)
        if pageable and not to_device:
            self._block_on((work,), work.seq, "pageable copy", "copy")

    def copy_rows(
        self, stream: Stream, dst: Buffer, to_rows: Sequence[int], src: Buffer,
        from_rows: Sequence[int], share: tuple[int, int] = (0, 1),
    ) -> None:  # fmt: skip
        """Copy any rows between the device and pinned host memory."""
        self._repair_before(stream, _copy_name(src))
        act = None
        if dst.data is not None and src.data is not None:
            act = self._copying_rows(dst.data, to_rows, src.data, from_rows)
        reads, writes = (src.rows(rows_mask(from_rows)),), (dst.rows(rows_mask(to_rows)),)
        pace_ns = self.cost.rows_work_ns(len(to_rows), share)
        nbytes = len(to_rows) * src.info.nbytes // src.info.rows
        self._queue_copy(stream, src, reads, writes, act, pace_ns, nbytes)

    # ------------------------------------------------- the host's own actions

    def write(self, name: str, parts: Sequence[tuple[Buffer, int, Any]]) -> None:
        """The host fills the first rows of host buffers, now."""
        self._repair_before(None, name)
        writes = tuple([buffer.first(rows) for buffer, rows, _ in parts])
        self._log(OpKind.HOST_WRITE, name, HOST, (), writes, self.now_ns)
        if self.compute:
            for buffer, rows, values in parts:
                buffer.tensor[:rows] = torch.as_tensor(values, dtype=buffer.tensor.dtype)

    def read(self, name: str, buffer: Buffer, rows: int) -> list[Any]:
        """The host reads the first rows of a host buffer, as they are now."""
        self._repair_before(None, name)
        self._clock.sleep_until(self.now_ns + self._delays.get(name, 0))
        self._log(OpKind.HOST_READ, name, HOST, (buffer.first(rows),), (), self.now_ns)
        if buffer.data is None:
            return [0] * rows
        values: list[Any] = buffer.data[:rows].tolist()
        return values

    def query_event(self, event: Event, name: str) -> bool:
        """Whether the event's last record is reached."""
        call_ns = self.now_ns
        self._failure.check()
        if event.record_op is None:
            self._log(OpKind.SYNC_OP, name, HOST, (), (), call_ns)
            return True
        target = event.record_op.seq
        if not all(work.done for work in self._order.recorded(target)):
            return False
        self._log_sync(OpKind.SYNC_OP, name, HOST, call_ns, target)
        return True

    def cold_allocation(self) -> None:
        """What asking the driver for memory costs: the device runs dry, then host time."""
        self.synchronize("cold allocation")
        span = self._span("cold allocation")
        self._pass(self.cost.alloc_ns)
        span.end_ns = self.now_ns

    # -------------------------------------------------------------- machinery

    def _copying(self, dst: torch.Tensor, src: torch.Tensor, rows: int) -> Act:
        return copy_act(dst, src, rows, self.cost.chunks)

    def _copying_rows(
        self, dst: torch.Tensor, to_rows: Sequence[int], src: torch.Tensor, from_rows: Sequence[int]
    ) -> Act:
        return copy_rows_act(dst, to_rows, src, from_rows, self.cost.chunks)

    def _queue_copy(
        self, stream: Stream, src: Buffer, reads: tuple[Access, ...], writes: tuple[Access, ...],
        act: Act | None, pace_ns: int, nbytes: int,
    ) -> Work:  # fmt: skip
        kind, name, call_ns = _copy_kind(src), _copy_name(src), self.now_ns
        self._pass(self.cost.launch_ns)
        op = self._log(kind, name, stream.info.index, reads, writes, call_ns, nbytes)
        work = self._enqueue(op, act, pace_ns)
        self._repair_after(stream, name)
        return work

    def _stage(self, src: Buffer, reads: tuple[Access, ...], pace_ns: int) -> torch.Tensor | None:
        """A pageable source is copied aside while the host is blocked: safe, but not async."""
        self._log(OpKind.HOST_READ, "stage", HOST, reads, (), self.now_ns)
        span = self._span("pageable copy", "copy")
        staged = None if src.data is None else src.data.clone()
        self._pass(pace_ns)
        span.end_ns = self.now_ns
        return staged


def _copy_kind(src: Buffer) -> OpKind:
    return OpKind.H2D if src.info.on_host else OpKind.D2H


def _copy_name(src: Buffer) -> str:
    return f"{_copy_kind(src)} {src.info.label}"
