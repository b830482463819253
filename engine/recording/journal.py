"""What a run did to memory, as an immutable list of images; the state at any instant from it.

Each time an operation, or a piece of a copy, has changed memory, the rows it writes are copied
aside. The content of a buffer at an instant is found by walking back from there until every row
that was ever written has been met: a few images, for a slot's rows are written by every batch.
Rows of many numbers (keys and values, logits) are kept as digests: what they hold is nothing to
read, but that it has changed is.

What this module does not know: which operation runs when (`engine.recording.instant`).
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh3_64_intdigest

from engine.device.buffer import Buffer
from engine.oplog import NONE, Access, Op, OpKind, row_mask, rows_mask
from engine.parts import Parts
from engine.recording.history import History

Numbers = NDArray[Any]

MOST_NUMBERS = 24
"""A row of more numbers than this is kept as a digest."""


class Image(NamedTuple):
    """Rows of a buffer (`mask`, ascending) right after operation `op` changed them at `at_ns`.

    `values` has one entry a row; `ever` are the rows that were written up to here.
    """

    at_ns: int
    op: int
    mask: int
    values: Numbers
    ever: int


class Cell(NamedTuple):
    """A row at an instant: its numbers (or one digest), and who wrote it last, and when."""

    values: Any
    op: int
    at_ns: int


@dataclass(slots=True)
class Journal:
    """Images by buffer, the history of requests, and when the host asked for events.

    One journal is for one run. `memory` is the run's own, which goes on changing.
    """

    memory: list[Numbers | None] = field(default_factory=list)
    images: list[list[Image]] = field(default_factory=list)
    queries: list[tuple[int, int]] = field(default_factory=list)
    _history: History | None = None
    _seen: list[Numbers | None] = field(default_factory=list)

    @property
    def history(self) -> History:
        """Requests and KV blocks. Raises RuntimeError before the run has begun."""
        if self._history is None:
            raise RuntimeError("this journal has no run yet: give it to engine.execute")
        return self._history

    def begin(self, parts: Parts) -> None:
        """The engine is put together and about to run."""
        self._history = History(parts.scheduler.life, parts.pool)
        for index, data in enumerate(self.memory):
            if data is not None and data.any():
                self._keep(index, row_mask(0, len(data)), NONE, parts.device.now_ns)

    # ------------------------------------------------------ told by the device

    def made(self, buffer: Buffer) -> None:
        """There is new memory, all zero."""
        data = None if buffer.data is None else buffer.data.numpy()
        self.memory.append(data)
        self._seen.append(None if data is None or buffer.info.on_host else data.copy())
        self.images.append([])

    def wrote(self, op: Op, at_ns: int) -> None:
        """Keep what an operation's rows hold now."""
        for access in op.writes:
            data = self.memory[access.buffer]
            if data is not None:
                astray = self._astray(access.buffer, data) if op.kind is OpKind.KERNEL else 0
                self._keep(access.buffer, access.mask | astray, op.seq, at_ns)

    def _astray(self, buffer: int, data: Numbers) -> int:
        """The rows of a buffer that are not as they were last seen: a kernel goes where the
        block table in device memory sends it, and that may be a stale one."""
        changed = (data != self._seen[buffer]).reshape(len(data), -1).any(axis=1)
        return rows_mask(np.flatnonzero(changed).tolist())

    def looks(self, at_ns: int) -> None:
        """See what has become of the requests."""
        if self._history is not None:
            self._history.look(at_ns)

    def asked(self, start_ns: int, end_ns: int) -> None:
        """Note when the host asked for an event."""
        self.queries.append((start_ns, end_ns))

    def _keep(self, buffer: int, mask: int, op: int, at_ns: int) -> None:
        images, data, seen = self.images[buffer], self.memory[buffer], self._seen[buffer]
        assert data is not None
        rows = index_of(mask)
        ever = mask | (images[-1].ever if images else 0)
        images.append(Image(at_ns, op, mask, readable(data[rows]), ever))
        if seen is not None:
            seen[rows] = data[rows]

    # ------------------------------------------------------------ at an instant

    def cells(self, buffer: int, at_ns: int) -> dict[int, Cell]:
        """The rows of a buffer that have been written by then, by number; the others hold 0."""
        images = self.images[buffer]
        index = bisect_right(images, at_ns, key=lambda image: image.at_ns)
        missing = images[index - 1].ever if index else 0
        found: dict[int, Cell] = {}
        while missing:
            index -= 1
            image = images[index]
            if image.mask & missing:
                for row, values in zip(rows_of(image.mask), image.values, strict=True):
                    if missing >> row & 1:
                        found[row] = Cell(values, image.op, image.at_ns)
                missing &= ~image.mask
        return dict(sorted(found.items()))

    def pieces(self, buffer: int, op: int, at_ns: int) -> tuple[int, int]:
        """In how many pieces an operation has written a buffer by then, and in how many in all."""
        when = [image.at_ns for image in self.images[buffer] if image.op == op]
        return bisect_right(when, at_ns), len(when)


@lru_cache(maxsize=4096)
def rows_of(mask: int) -> tuple[int, ...]:
    """The rows of a mask, ascending."""
    return tuple(Access(NONE, mask).rows)


@lru_cache(maxsize=4096)
def index_of(mask: int) -> slice | list[int]:
    """What picks the rows of a mask out of an array; a slice where they are the first ones."""
    rows = rows_of(mask)
    return slice(len(rows)) if mask == row_mask(0, len(rows)) else list(rows)


def readable(rows: Numbers) -> Numbers:
    """A copy of rows [n, ...] as numbers to read, or [n] digests where there are too many."""
    if rows[:1].size <= MOST_NUMBERS:
        return rows.copy()
    return np.array([xxh3_64_intdigest(row.data) for row in np.ascontiguousarray(rows)], "u8")
