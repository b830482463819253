"""The log of everything the host asked the device to do, in the order it asked.

Every device (`virtual`, `threads`, `cuda`) writes the same log. The hazard
checker reads *only* this log, never the clock: an operation says which rows of
which buffers it reads and writes, on which stream it stands, and which earlier
operation it waits for. The trace is drawn from the same records. A long run makes
hundreds of thousands of them: hence structs of msgspec, made in a third of the time.

What this module does not know: time models, tokens, the loop.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

import msgspec

HOST = -1
"""The `stream` of an operation that the host itself performs."""

NONE = -1
"""No step, slot, line or target."""


class OpKind(StrEnum):
    """What an operation is."""

    __hash__ = str.__hash__  # an enum's own is a Python function, and logs are long

    KERNEL = "kernel"
    H2D = "h2d"
    D2H = "d2h"
    RECORD = "record"
    WAIT = "wait"
    HOST_READ = "host_read"
    HOST_WRITE = "host_write"
    ALLOC = "alloc"
    FREE = "free"
    """The host takes or gives back the buffer `memory` of a caching allocator."""
    SYNC_OP = "sync_op"
    """The host blocks until the operation `target` is done (event synchronize)."""
    SYNC_STREAM = "sync_stream"
    """The host blocks until all earlier work of `stream` is done."""
    SYNC_DEVICE = "sync_device"
    """The host blocks until all earlier work of every stream is done."""


class StreamKind(StrEnum):
    """How a stream relates to the legacy default stream (CUDA's words)."""

    DEFAULT = "default"
    BLOCKING = "blocking"
    NON_BLOCKING = "non-blocking"


@dataclass(frozen=True, slots=True)
class StreamInfo:
    """A stream: its number in the log, its name and its relation to the default stream."""

    index: int
    name: str
    kind: StreamKind = StreamKind.NON_BLOCKING
    priority: int = 0


@dataclass(frozen=True, slots=True)
class BufferInfo:
    """A piece of memory as the hazard checker names it.

    `resource` is the family a reader knows ("device inputs", "host outputs",
    "kv blocks"); `label` is the tensor in it ("tokens"); `slot` is NONE for
    buffers that belong to no slot. Rows are whatever the first dimension counts.
    """

    index: int
    resource: str
    label: str
    slot: int
    rows: int
    nbytes: int
    on_host: bool


class Access(msgspec.Struct, frozen=True, gc=False):
    """Rows of one buffer, as a bit mask (bit r = row r): ranges and block sets alike."""

    buffer: int
    mask: int

    @property
    def rows(self) -> list[int]:
        """The rows in ascending order."""
        return [r for r in range(self.mask.bit_length()) if self.mask >> r & 1]


def row_mask(start: int, stop: int) -> int:
    """Bit mask of the rows start <= r < stop."""
    return (1 << stop) - (1 << start) if stop > start else 0


def rows_mask(rows: Iterable[int]) -> int:
    """Bit mask of any set of rows."""
    mask = 0
    for row in rows:
        mask |= 1 << row
    return mask


class Op(msgspec.Struct, gc=False):
    """One entry of the log.

    `seq` is the position in host program order. `target` is the `seq` of the
    operation waited for (WAIT, SYNC_OP); NONE there means that the event had
    never been recorded when the wait was issued: a silent no-op. `line` is the
    line of `engine/loop.py` that issued it. Times are integer ns: the host called
    at `call_ns` and had control back at `issue_ns`; the device worked from
    `start_ns` to `end_ns`. `depends` lists the operations whose end the device
    had to await because of the legacy default stream, each with the reason ("barrier").
    A kernel of a graph names it, and in `replay` the `seq` of the first one of its launch.
    """

    seq: int
    kind: OpKind
    name: str
    stream: int
    step: int = NONE
    slot: int = NONE
    reads: tuple[Access, ...] = ()
    writes: tuple[Access, ...] = ()
    target: int = NONE
    line: int = NONE
    nbytes: int = 0
    depends: tuple[tuple[int, str], ...] = ()
    call_ns: int = 0
    issue_ns: int = 0
    start_ns: int = 0
    end_ns: int = 0
    graph: str = ""
    replay: int = NONE
    memory: int = NONE


@dataclass(slots=True)
class OpLog:
    """All operations of a run with the streams and buffers they refer to."""

    ops: list[Op] = field(default_factory=list)
    streams: list[StreamInfo] = field(default_factory=list)
    buffers: list[BufferInfo] = field(default_factory=list)

    def __iter__(self) -> Iterator[Op]:
        return iter(self.ops)

    def __len__(self) -> int:
        return len(self.ops)
