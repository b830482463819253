"""Columns that grow while a file is read, each of them one block of memory: many small arrays would
leave holes that nothing fits into."""

from collections.abc import Mapping
from typing import Any

import numpy as np

Dtypes = Mapping[str, Any]
"""The type of each column's values, as numpy calls it."""


class GrowingColumns:
    """Columns of equal length under their names."""

    def __init__(self, dtypes: Dtypes) -> None:
        self._dtypes = dtypes
        self._bytes = {name: bytearray() for name in dtypes}
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def extend(self, columns: Mapping[str, np.ndarray]) -> None:
        """Append rows; other columns than those of the table are not looked at."""
        for name, dtype in self._dtypes.items():
            self._bytes[name] += columns[name].astype(dtype, copy=False).tobytes()
        self._length += len(columns[next(iter(self._dtypes))])

    def __getitem__(self, name: str) -> np.ndarray:
        """A column in place: what is written into it stays. The table does not grow while such a
        view is held."""
        return np.frombuffer(self._bytes[name], dtype=self._dtypes[name])
