"""The args of many spans as one text: a dict is made where one is asked for.

A dict a span would take several times the memory of the file. Here a span has 12 bytes beside the
JSON text as the file holds it, and a part of the column shares the text of the whole. For pandas
it is a column whose values are dicts, or None.
"""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

import msgspec
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.extensions import ExtensionArray, ExtensionDtype
from pandas.api.indexers import check_array_indexer

Args = dict[str, Any] | None

_decode = msgspec.json.Decoder(dict[str, Any]).decode


class ArgsDtype(ExtensionDtype):
    """What pandas calls the column's type."""

    name = "args"
    na_value = None
    type: ClassVar[Any] = dict

    @classmethod
    def construct_array_type(cls) -> Any:  # noqa: ANN401 - `type` means another thing in here
        """The column's class."""
        return ArgsArray


class ArgsArray(ExtensionArray):
    """`starts` and `lengths` (0: no args) say where in `text` the args of each span stand."""

    def __init__(self, text: bytes, starts: NDArray[np.int64], lengths: NDArray[np.int32]) -> None:
        self._text, self._starts, self._lengths = text, starts, lengths

    @classmethod
    def of(cls, text: bytes, lengths: NDArray[np.int32]) -> Self:
        """The column of args that stand in `text` one behind the other."""
        return cls(text, np.cumsum(lengths, dtype=np.int64) - lengths, lengths)

    @classmethod
    def _from_sequence(
        cls, scalars: Sequence[Args], *, dtype: object = None, copy: bool = False
    ) -> Self:
        texts = [b"" if args is None else msgspec.json.encode(args) for args in scalars]
        return cls.of(b"".join(texts), np.array([len(text) for text in texts], dtype=np.int32))

    @classmethod
    def _concat_same_type(cls, to_concat: Sequence[Self]) -> Self:
        before = np.cumsum([0, *(len(part._text) for part in to_concat)])
        return cls(
            b"".join(part._text for part in to_concat),
            np.concatenate(
                [part._starts + base for part, base in zip(to_concat, before, strict=False)]
            ),
            np.concatenate([part._lengths for part in to_concat]),
        )

    @property
    def dtype(self) -> ArgsDtype:
        """The type of the column."""
        return ArgsDtype()

    @property
    def nbytes(self) -> int:
        """Memory of the column, with the text that other parts may share."""
        return len(self._text) + self._starts.nbytes + self._lengths.nbytes

    def __len__(self) -> int:
        return len(self._starts)

    def __getitem__(self, item: Any) -> Any:  # noqa: ANN401 - whatever pandas asks with
        if isinstance(item, int | np.integer):
            return self._args(int(self._starts[item]), int(self._lengths[item]))
        item = check_array_indexer(self, item)
        return type(self)(self._text, self._starts[item], self._lengths[item])

    def __iter__(self) -> Iterator[Args]:
        for start, length in zip(self._starts.tolist(), self._lengths.tolist(), strict=True):
            yield self._args(start, length)

    def __eq__(self, other: object) -> Any:  # noqa: ANN401 - as numpy compares
        if isinstance(other, pd.DataFrame | pd.Series | pd.Index):
            return NotImplemented
        values = other if isinstance(other, ArgsArray | list) else [other] * len(self)
        return np.array([a == b for a, b in zip(self, values, strict=True)], dtype=bool)

    def isna(self) -> NDArray[np.bool_]:
        """Which spans have no args."""
        return np.equal(self._lengths, 0)

    def take(
        self,
        indices: Sequence[int | np.integer[Any]] | NDArray[np.integer[Any] | np.bool_],
        *,
        allow_fill: bool = False,
        fill_value: object = None,
    ) -> Self:
        """Those at `indices`; with `allow_fill` -1 stands for none."""
        places = np.asarray(indices, dtype=np.int64)
        if not allow_fill:
            return type(self)(self._text, self._starts[places], self._lengths[places])
        if (places < -1).any():
            raise ValueError("a place is below -1")
        starts = np.append(self._starts, 0)  # what -1 takes
        lengths = np.append(self._lengths, np.int32(0))
        return type(self)(self._text, starts[places], lengths[places])

    def copy(self) -> Self:
        """The same; nothing in it ever changes."""
        return type(self)(self._text, self._starts, self._lengths)

    def _args(self, start: int, length: int) -> Args:
        """The dict at a place; None where there is none, or none that can be read."""
        if not length:
            return None
        try:
            return _decode(self._text[start : start + length])
        except (msgspec.DecodeError, RecursionError):
            return None


def encoded(args: Args | bytes) -> bytes:
    """Args as the column holds them: JSON text is taken for what it is; empty for none."""
    if isinstance(args, bytes):
        return args if args[:1] == b"{" else b""
    return b"" if args is None else msgspec.json.encode(args)
