"""A virtual device that computes nothing whose outcome is known from an earlier run.

Durations decide when an operation reads and writes memory. What the host gets to read is decided
by the order of these effects alone, and only as far as they touch the same memory. So every buffer
carries a digest of how its content came about: which write came last, what that had read, and so
on. Effects are put off; when the host reads a buffer whose digest was seen before, it is told what
was read then. Only at a new one is everything put off done, in its order.

This is sound because the host does the same as before as long as it is told the same: an operation
is known by its number and by all answers that the host got before it was called.

What this module does not know: whose runs have what in common (`engine.timings.explore`).
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from xxhash import xxh3_128_digest

from engine.device.api import Event
from engine.device.buffer import Buffer
from engine.device.ranges import MakeDevice
from engine.device.settings import Settings
from engine.device.simulator import Task
from engine.device.virtual import VirtualDevice
from engine.oplog import Access, Op

Recall = dict[bytes, list[Any]]
"""What the host read, by the digest of how that came about. One is for runs that differ in
nothing but durations."""

Effect = Callable[[], object]


class RecallingDevice(VirtualDevice):
    """A `VirtualDevice` that remembers what reads gave.

    Its log and its times are those of the plain device, and so are the tokens; the content of
    memory is not kept up to date. Failures that are injected, pageable copies and a global random
    generator leave effects outside of memory: they are not for this device.
    """

    _recall: Recall

    def __init__(self, settings: Settings) -> None:
        self._put_off: list[Effect] = []
        self._came_about: dict[int, bytes] = {}
        self._told = b""
        super().__init__(settings)

    def close(self) -> None:
        """As `VirtualDevice.close`; what was put off and never needed leads back here, too."""
        self._put_off.clear()
        super().close()

    def query_event(self, event: Event, name: str) -> bool:
        """As `VirtualDevice.query_event`."""
        answer = super().query_event(event, name)
        self._told = _digest(self._told, b"query", bytes([answer]))
        return answer

    def allocate(self, nbytes: int, stream: Any, label: str) -> Buffer:  # noqa: ANN401
        """As `VirtualDevice.allocate`; which memory it is depends on what is done by now."""
        buffer = super().allocate(nbytes, stream, label)
        self._told = _digest(self._told, b"allocate", _bytes(buffer.info.index))
        return buffer

    def _fill(self, parts: Sequence[tuple[Buffer, int, Any]]) -> None:
        written = _digest(self._told, _bytes(len(self.log.ops)))
        for buffer, _, _ in parts:
            self._changes(buffer.info.index, written)
        self._put_off.append(partial(super()._fill, parts))

    def _values(self, buffer: Buffer, rows: int) -> list[Any]:
        access = buffer.first(rows)
        key = _digest(self._content(access), _bytes(access.mask))
        if key not in self._recall:
            for effect in self._put_off:
                effect()
            self._put_off.clear()
            self._recall[key] = super()._values(buffer, rows)
        values = self._recall[key]
        self._told = _digest(self._told, repr(values).encode())
        return list(values)

    def _enqueue(self, task: Task, op: Op) -> None:
        name = _digest(self._told, _bytes(op.seq))
        begin, end, read = task.on_start, task.on_mark, [name]
        if begin is not None:
            task.on_start = partial(self._begins, begin, op, read)
        if end is not None:
            task.on_mark = partial(self._marks, end, op, read, begin is None)
        super()._enqueue(task, op)

    def _begins(self, effect: Effect, op: Op, read: list[bytes]) -> None:
        """A kernel starts: it reads its inputs, and what it will only write in part."""
        read[0] = _digest(read[0], *map(self._content, (*op.reads, *op.writes)))
        self._put_off.append(effect)

    def _marks(
        self, effect: Callable[[int], None], op: Op, read: list[bytes], copies: bool, mark: int
    ) -> None:
        """A kernel ends and writes, or a piece of a copy arrives."""
        sources = map(self._content, op.reads) if copies else ()
        written = _digest(read[0], _bytes(mark), *sources)
        for access in op.writes:
            self._changes(access.buffer, written)
        self._put_off.append(partial(effect, mark))

    def _content(self, access: Access) -> bytes:
        return self._came_about.get(access.buffer, b"")

    def _changes(self, buffer: int, written: bytes) -> None:
        self._came_about[buffer] = _digest(self._came_about.get(buffer, b""), written)


def _digest(*parts: bytes) -> bytes:
    return xxh3_128_digest(b"|".join(parts))


def _bytes(number: int) -> bytes:
    return number.to_bytes((number.bit_length() + 8) // 8, "little")


def recalling(recall: Recall) -> MakeDevice:
    """Virtual devices that remember in `recall`."""

    class Recalling(RecallingDevice):
        _recall = recall

    return Recalling
