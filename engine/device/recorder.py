"""What every device records alike: operations, host spans, buffers, streams.

A device is this plus a clock and a way to make things happen. What is not known here:
when anything runs.
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

import msgspec
import torch

from engine.device.api import Context, Event, HostSpan, Memory, Stream
from engine.device.buffer import Buffer
from engine.oplog import (
    HOST,
    NONE,
    Access,
    BufferInfo,
    Op,
    OpKind,
    OpLog,
    StreamInfo,
    StreamKind,
)

LOOP_FILE = str(Path(__file__).resolve().parent.parent / "loop.py")

_LINES: dict[tuple[int, int], int] = {}
"""Lines of the loop by function (its first line) and instruction: Python would decode a
function's whole table of lines each time."""


class Recorder(ABC):
    """Log, spans and memory books of a device. `compute=False` keeps no data."""

    def __init__(self, compute: bool) -> None:
        self.compute = compute
        self.log = OpLog()
        self.spans: list[HostSpan] = []
        self.context = Context()
        self.memory = Memory()
        self.measured: dict[str, float] = {}
        self.default_stream = self._add_stream("default", StreamKind.DEFAULT, 0)

    @property
    @abstractmethod
    def now_ns(self) -> int:
        """The time on the host's clock (ns)."""

    def stream(
        self, name: str, kind: StreamKind = StreamKind.NON_BLOCKING, priority: int = 0
    ) -> Stream:
        """Make a stream; DEFAULT returns the one legacy default stream."""
        if kind is StreamKind.DEFAULT:
            return self.default_stream
        return self._add_stream(name, kind, priority)

    def _add_stream(self, name: str, kind: StreamKind, priority: int) -> Stream:
        info = StreamInfo(len(self.log.streams), name, kind, priority)
        self.log.streams.append(info)
        return Stream(info, self)  # type: ignore[arg-type]  # a device is a Recorder and more

    def event(self, name: str) -> Event:
        """Make an event that has not been recorded."""
        return Event(name, self)  # type: ignore[arg-type]

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
        """Allocate zeroed memory; the first dimension counts its rows."""
        nbytes = dtype.itemsize
        for size in shape:
            nbytes *= size
        self.memory.add(nbytes, on_host)
        info = BufferInfo(len(self.log.buffers), resource, label, slot, shape[0], nbytes, on_host)
        self.log.buffers.append(info)
        data = self._zeros(tuple(shape), dtype, on_host, pinned) if self.compute else None
        return Buffer(info, data, pinned)

    def _zeros(
        self, shape: tuple[int, ...], dtype: torch.dtype, on_host: bool, pinned: bool
    ) -> torch.Tensor:
        """The memory itself; a device that computes on the CPU has one kind of it."""
        return torch.zeros(shape, dtype=dtype)

    def _log(
        self,
        kind: OpKind,
        name: str,
        stream: int,
        reads: tuple[Access, ...],
        writes: tuple[Access, ...],
        call_ns: int,
        nbytes: int = 0,
    ) -> Op:
        """Append an operation that the host called at `call_ns` and is done calling now."""
        ops, at, now_ns = self.log.ops, self.context, self.now_ns
        line = _loop_line(stream != HOST)
        op = Op(
            len(ops), kind, name, stream, at.step, at.slot, reads, writes,
            NONE, line, nbytes, (), call_ns, now_ns, call_ns, now_ns,
        )  # fmt: skip
        ops.append(op)
        return op


class HostWork(msgspec.Struct):
    """Closes a host span when its block is left."""

    device: Recorder
    span: HostSpan

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.span.end_ns = self.device.now_ns


def _loop_line(by_stream: bool) -> int:
    """The line of engine/loop.py from which the present call comes (NONE elsewhere): behind
    `_log`, a method of the device and, where the operation is `by_stream`, one of the stream."""
    frame: FrameType | None = sys._getframe(3)
    if by_stream and frame is not None:
        frame = frame.f_back
    while frame is not None:
        code = frame.f_code
        if code.co_filename == LOOP_FILE:
            place = code.co_firstlineno, frame.f_lasti
            line = _LINES.get(place)
            if line is None:
                line = _LINES[place] = frame.f_lineno
            return line
        frame = frame.f_back
    return NONE
