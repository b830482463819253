"""Named memory on the host or the device, its views, and accesses to its rows."""

from dataclasses import dataclass, field, replace

import numpy as np
import torch

from engine.oplog import Access, BufferInfo


@dataclass(frozen=True, slots=True, eq=False)
class Buffer:
    """Named memory on the host or the device; `data` is None when only time is run.

    A buffer may be a view of another one: it has the other's `info`, begins at its row
    `start`, and `unit` of the other's rows make one of its own. An access is to the rows of
    the memory itself, so views that overlap are seen to. A row has `row_bytes` bytes.
    """

    info: BufferInfo
    data: torch.Tensor | None
    pinned: bool = True
    start: int = 0
    unit: int = 1
    row_bytes: int = field(init=False)
    _firsts: dict[int, tuple[Access]] = field(default_factory=dict, init=False)
    _arrays: list[np.ndarray] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        row_bytes = self.unit * self.info.nbytes // self.info.rows
        object.__setattr__(self, "row_bytes", row_bytes)

    def rows(self, mask: int) -> Access:
        """An access to the rows of `mask`."""
        if self.unit > 1:
            wide = (1 << self.unit) - 1
            mask = sum(wide << row * self.unit for row in Access(0, mask).rows)
        return Access(self.info.index, mask << self.start if self.start else mask)

    def first(self, rows: int) -> Access:
        """An access to the first rows; the same one each time, for logs are long."""
        return (self._firsts.get(rows) or self._new_first(rows))[0]

    def only_first(self, rows: int) -> tuple[Access]:
        """The same, for an operation that reads or writes nothing else."""
        return self._firsts.get(rows) or self._new_first(rows)

    def _new_first(self, rows: int) -> tuple[Access]:
        access = Access(self.info.index, (1 << rows * self.unit) - 1 << self.start)
        self._firsts[rows] = (access,)
        return self._firsts[rows]

    def part(self, start: int, stop: int) -> "Buffer":
        """A view of the rows start <= r < stop."""
        data = None if self.data is None else self.data[start:stop]
        return replace(self, data=data, start=self.start + start * self.unit)

    def as_type(self, dtype: torch.dtype) -> "Buffer":
        """A view of one-dimensional memory whose rows are numbers of another, wider type."""
        data = None if self.data is None else self.data.view(dtype)
        return replace(self, data=data, unit=self.unit * (dtype.itemsize // self.row_bytes))

    @property
    def tensor(self) -> torch.Tensor:
        """The memory itself. Raises RuntimeError in a timing-only run."""
        if self.data is None:
            raise RuntimeError("this run keeps no data: it was started with compute=False")
        return self.data

    @property
    def array(self) -> np.ndarray:
        """The same memory for NumPy, where it lies on a CPU: it moves a few rows in a twentieth
        of the time that torch takes. Raises RuntimeError in a timing-only run."""
        if not self._arrays:
            self._arrays.append(self.tensor.numpy())
        return self._arrays[0]
