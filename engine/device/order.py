"""What the next operation of a stream stands behind: CUDA's ordering rules, without a clock.

A stream is a FIFO. A wait holds later work back until what stood before the event's
record at that time is done. Work on the legacy default stream comes after all earlier
work of every blocking stream, and later work of blocking streams comes after it; records
and waits are work in that sense, too. Non-blocking streams take no part in it.

What this module does not know: time, the log, copy engines, and what an entry is.
"""

from typing import Generic, Protocol, TypeVar

from engine.oplog import StreamKind

_BARRED = {StreamKind.DEFAULT, StreamKind.BLOCKING}
"""A default and a blocking stream hold each other's later work back."""


class Entry(Protocol):
    """One entry of a stream. `seq` is the number of its operation."""

    @property
    def seq(self) -> int: ...

    @property
    def done(self) -> bool: ...


EntryT = TypeVar("EntryT", bound=Entry)


class StreamOrder(Generic[EntryT]):
    """What the next operation of every stream waits for.

    `tails` is the device's own list: what the next entry of each stream stands behind, which is
    the last one, and what was waited for since.
    """

    def __init__(self, tails: list[tuple[EntryT, ...]]) -> None:
        self._kinds: list[StreamKind] = []
        self.barring: list[list[int]] = []
        self._tails = tails
        self._records: dict[int, tuple[EntryT, ...]] = {}

    def add_stream(self, kind: StreamKind) -> None:
        """The next stream, still empty."""
        self._kinds.append(kind)
        self.barring = [
            [number for number, other in enumerate(self._kinds) if {mine, other} == _BARRED]
            for mine in self._kinds
        ]

    def behind(self, stream: int) -> tuple[EntryT, ...]:
        """What is still to be done before a stream's next operation may start."""
        return tuple([task for task in self._tails[stream] if not task.done])

    def everything(self) -> tuple[EntryT, ...]:
        """What is still to be done on any stream."""
        return tuple(task for stream in range(len(self._kinds)) for task in self.behind(stream))

    def barrier(self, stream: int) -> tuple[EntryT, ...]:
        """What the legacy default stream puts before a stream's next operation."""
        return tuple(task for other in self.barring[stream] for task in self.behind(other))

    def hold(self, stream: int, tasks: tuple[EntryT, ...]) -> None:
        """Let a stream's next operation wait for `tasks`."""
        self._tails[stream] += tasks

    def record(self, seq: int, stream: int) -> None:
        """Note what record number `seq` stands for: all work of the stream so far."""
        self._records[seq] = self.behind(stream)

    def recorded(self, seq: int) -> tuple[EntryT, ...]:
        """What record number `seq` stands for."""
        return self._records[seq]
