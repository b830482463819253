"""Tells how far the reading of a file has come, and lets the listener stop it.

A packed file is gone through twice: unpacked, then read. Both count, so the share that is done
only grows; how much a packed file holds is estimated until it is unpacked.
"""

from collections.abc import Callable

Progress = Callable[[int, int], object]
"""Called with (bytes done, bytes in all). What it raises ends the reading and reaches the caller
of it unchanged."""

ROWS_TOLD = 10_000
"""So many rows are read between two calls: some 50 ms."""


class Stopped(BaseException):
    """Carries what a listener raised past the readers, whose business other errors are."""

    def __init__(self, reason: BaseException) -> None:
        super().__init__()
        self.reason = reason


class Steps:
    """The two stages of one file as one count, told to `listener` (None: to nobody)."""

    def __init__(self, listener: Progress | None) -> None:
        self._listener = listener
        self._unpacked = 0

    def unpacked(self, packed: int, packed_in_all: int, size: int) -> None:
        """`packed` of so many bytes have been unpacked, to `size` bytes."""
        self._unpacked = size
        expected = size * packed_in_all // packed if packed else size
        self._tell(size, 2 * max(expected, size))

    def read(self, at: int, size: int) -> None:
        """`at` of `size` plain bytes have been read."""
        before = size if self._unpacked else 0
        self._tell(before + min(at, size), before + size)

    def _tell(self, done: int, in_all: int) -> None:
        if self._listener is None or not in_all:
            return
        try:
            self._listener(done, in_all)
        except BaseException as reason:
            raise Stopped(reason) from reason


class Rows:
    """Rows of a file as its bytes, for formats that are not read from the first byte to the last:
    each of `in_all` rows counts as long as another of the `size` bytes."""

    def __init__(self, read_up_to: Callable[[int], None], size: int, in_all: int) -> None:
        self._read_up_to = read_up_to
        self._size = size
        self._in_all = max(1, in_all)
        self._read = 0

    def one_more(self) -> None:
        """A row is read."""
        self._read += 1
        if self._read % ROWS_TOLD == 0:
            self._read_up_to(self._size * min(self._read, self._in_all) // self._in_all)


def of_several(listener: Progress | None, number: int, count: int) -> Progress | None:
    """The listener for file `number` (from 0) of `count`, each of which counts alike."""
    if listener is None or count == 1:
        return listener

    def tell(done: int, in_all: int) -> None:
        listener(number * in_all + done, count * in_all)

    return tell
