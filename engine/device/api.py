"""Streams, events, kernels and host spans: the words of the engine's loop.

`Device` is the protocol. The objects the loop holds (`Stream`, `Event`) are thin:
they carry a name and hand every call to their device, so that the loop reads like
the listing in an article: `compute.wait(batch.h2d_done)`.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec
import torch

from engine.device.buffer import Buffer
from engine.oplog import NONE, Access, Op, OpLog, StreamInfo, StreamKind

Commit = Callable[[], None]
"""Writes a kernel's outputs; called when the kernel ends."""

Body = Callable[[], Commit]
"""Reads a kernel's inputs; called when the kernel starts."""


class Kernel(msgspec.Struct, frozen=True):
    """One launch: what it reads and writes, and the work it does.

    `family` names its line in the cost model ("layer"), `share` is (part, parts) of
    that line's time, `tokens` the token rows it handles. `body` runs when the kernel
    starts and returns the commit that runs when it ends.
    """

    name: str
    family: str
    reads: tuple[Access, ...]
    writes: tuple[Access, ...]
    body: Body | None
    tokens: int = 1
    share: tuple[int, int] = (0, 1)


@dataclass(frozen=True, slots=True)
class Graph:
    """A captured sequence of kernels, replayed by one launch on the same addresses."""

    name: str
    kernels: tuple[Kernel, ...]


class HostSpan(msgspec.Struct, gc=False):
    """What the host did from `start_ns` to `end_ns`.

    `waits_for` says what a blocked host waited for ("event", "stream", "device", "copy",
    "launch"); it is empty for work. `cause` names a reason other than the span itself.
    """

    name: str
    start_ns: int
    end_ns: int
    step: int = NONE
    slot: int = NONE
    cause: str = ""
    waits_for: str = ""


class Event(msgspec.Struct, eq=False):
    """A marker to be recorded in a stream and waited for. `record_op` is its last record."""

    name: str
    device: "Device"
    record_op: Op | None = None

    def synchronize(self, name: str = "") -> None:
        """Block the host until the event's last record is reached (at once if none)."""
        self.device.synchronize_event(self, name or f"wait {self.name}")

    def query(self) -> bool:
        """Ask without blocking: is the event's last record reached (or was there none)?"""
        return self.device.query_event(self, f"query {self.name}")


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """An ordered queue of device work."""

    info: StreamInfo
    device: "Device"

    def copy(self, dst: Buffer, src: Buffer, rows: int, share: tuple[int, int] = (0, 1)) -> None:
        """Copy the first `rows` rows, asynchronously where the host buffer is pinned.

        `share` says which part of the step's copy time this one takes: (part, parts).
        """
        self.device.copy(self, dst, src, rows, share)

    def copy_rows(
        self, dst: Buffer, to_rows: Sequence[int], src: Buffer, from_rows: Sequence[int],
        share: tuple[int, int] = (0, 1),
    ) -> None:  # fmt: skip
        """Copy rows from anywhere to anywhere: row from_rows[i] to row to_rows[i].

        `share` says which part of these rows' copy time this one takes: (part, parts).
        """
        self.device.copy_rows(self, dst, to_rows, src, from_rows, share)

    def launch(self, work: Kernel | Graph) -> None:
        """Launch one kernel, or replay a captured graph."""
        if isinstance(work, Graph):
            self.replay(work)
        else:
            self.device.launch(self, work.name, (work,))

    def replay(self, graph: Graph) -> None:
        """Replay a captured graph: all its kernels from one launch."""
        self.device.launch(self, graph.name, graph.kernels)

    def record(self, event: Event) -> None:
        """Let `event` stand for all work of this stream so far."""
        self.device.record(self, event)

    def wait(self, event: Event) -> None:
        """Hold this stream's later work back until the event's *present* record is reached."""
        self.device.wait(self, event)

    def synchronize(self, name: str = "stream synchronize") -> None:
        """Block the host until all earlier work of this stream is done."""
        self.device.synchronize_stream(self, name)


@dataclass(slots=True)
class Context:
    """What the host is working on: stamped on every operation and span."""

    step: int = NONE
    slot: int = NONE
    cause: str = ""


class Device(Protocol):
    """What every device offers; `engine.device.virtual.VirtualDevice` is the reference.

    One conformance suite (tests/engine/device/conformance.py) holds for all of them.
    """

    log: OpLog
    spans: list[HostSpan]
    context: Context
    memory: "Memory"
    measured: dict[str, float]
    """How well the times of a finished run are known, by name and unit; for its trace."""

    @property
    def now_ns(self) -> int:
        """The time on the host's clock (ns)."""

    def stream(self, name: str, kind: StreamKind = ..., priority: int = 0) -> Stream:
        """Make a stream (DEFAULT returns the one legacy default stream)."""

    def event(self, name: str) -> Event:
        """Make an event that has not been recorded."""

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

    def copy(
        self, stream: Stream, dst: Buffer, src: Buffer, rows: int, share: tuple[int, int]
    ) -> None: ...

    def copy_rows(
        self, stream: Stream, dst: Buffer, to_rows: Sequence[int], src: Buffer,
        from_rows: Sequence[int], share: tuple[int, int],
    ) -> None: ...  # fmt: skip

    def launch(self, stream: Stream, name: str, kernels: tuple[Kernel, ...]) -> None:
        """One launch of these kernels, one after the other."""

    def record(self, stream: Stream, event: Event) -> None: ...

    def wait(self, stream: Stream, event: Event) -> None: ...

    def synchronize_event(self, event: Event, name: str) -> None: ...

    def query_event(self, event: Event, name: str) -> bool:
        """Whether the event's last record is reached. A yes orders like a synchronise (and is
        logged as one that did not wait); a no says nothing, and is not logged."""

    def synchronize_stream(self, stream: Stream, name: str) -> None: ...

    def synchronize(self, name: str = "device synchronize") -> None:
        """Block the host until every stream is empty."""

    def check(self, step: int) -> None:
        """Raise BatchError where a wait has reported that work of batch `step` failed."""

    def host(self, name: str, units: int = 1) -> AbstractContextManager[None]:
        """A named span of host work over `units` rows."""

    def write(self, name: str, parts: Sequence[tuple[Buffer, int, Any]]) -> None:
        """The host fills the first rows of host buffers: (buffer, rows, values)."""

    def read(self, name: str, buffer: Buffer, rows: int) -> list[Any]:
        """The host reads the first rows of a host buffer."""

    def allocate(self, nbytes: int, stream: Stream, label: str) -> Buffer:
        """Device memory from the caching allocator; a cold pool synchronises the device."""

    def free(self, buffer: Buffer) -> None:
        """Give memory back to the caching allocator."""

    def record_stream(self, buffer: Buffer, stream: Stream) -> None:
        """Tell the allocator that another stream uses this memory too."""

    def finish(self) -> None:
        """Let the device run dry without the host waiting; for the end of a run."""

    def close(self) -> None:
        """Give up what the device holds, whatever state it is in; it is of no use after."""


@dataclass(slots=True)
class Memory:
    """Bytes held now and at most, on the host and on the device."""

    device_bytes: int = 0
    host_bytes: int = 0
    peak_device_bytes: int = 0
    peak_host_bytes: int = 0

    def add(self, nbytes: int, on_host: bool) -> None:
        """Book `nbytes` (negative gives back)."""
        if on_host:
            self.host_bytes += nbytes
            self.peak_host_bytes = max(self.peak_host_bytes, self.host_bytes)
        else:
            self.device_bytes += nbytes
            self.peak_device_bytes = max(self.peak_device_bytes, self.device_bytes)
