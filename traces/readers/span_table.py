"""Growing columns of spans: appended one at a time or many at once.

Python objects live only until the next `pack`; lanes, kinds and names are stored once, and args
as the text that the file holds.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd

from traces.args_column import Args, ArgsArray, encoded
from traces.readers.event_repair import Scalar
from traces.readers.growing_columns import GrowingColumns
from traces.readers.source import MAX_BYTES, check_size
from traces.schema import HOST, NONE

K = TypeVar("K", bound=Hashable)
COLUMNS: dict[str, type[np.signedinteger[Any]]] = {
    "ts_ns": np.int64,
    "dur_ns": np.int64,
    "correlation": np.int64,
    "lane": np.int32,
    "kind": np.int32,
    "name": np.int32,
    "args": np.int32,
}
"""What is kept of a span; of its args how long their text is."""


class Lane(NamedTuple):
    """Where a span stands. `label` says which lane of the thread it is: "" for the calls of
    the thread itself, else "annotations" or the name of an asynchronous track."""

    pid: str
    tid: str
    device: int = HOST
    stream: int = NONE
    label: str = ""


class SpanTable:
    """Columns of spans. Lanes, kinds and names are numbers into the dicts of these names; args
    stand one behind the other in a text beside the columns."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._args_bytes = 0
        self.lanes: dict[Lane, int] = {}
        self.kinds: dict[str, int] = {}
        self.names: dict[str, int] = {}
        self._columns = GrowingColumns(COLUMNS)
        self._rows: list[tuple[int, ...]] = []
        self._new_texts: list[bytes] = []
        self._texts = bytearray()

    def __len__(self) -> int:
        return len(self._columns) + len(self._rows)

    def add(
        self,
        ts_ns: int,
        dur_ns: int,
        lane: Lane,
        kind: str,
        name: str,
        correlation: int = NONE,
        args: Args | bytes = None,
    ) -> None:
        """Append one span; its args as a dict or as JSON text. Raises TraceError as soon as the
        args of all hold more bytes than a file may: one text may stand in many."""
        own = encoded(args)
        if own:
            self._args_bytes += len(own)
            check_size(self._args_bytes, self._max_bytes)
            self._new_texts.append(own)
        name_code = code(self.names, cut(name, LONGEST_NAME))
        numbers = (code(self.lanes, lane), code(self.kinds, kind), name_code)
        self._rows.append((ts_ns, dur_ns, correlation, *numbers, len(own)))

    def extend(self, columns: Mapping[str, np.ndarray], args: Sequence[bytes] = ()) -> None:
        """Append many spans, given as columns, with their args as JSON text (empty: none)."""
        self.pack()
        columns = {**columns, "args": np.array([len(own) for own in args], dtype=np.int32)}
        if not args:
            columns["args"] = np.zeros(len(columns["ts_ns"]), dtype=np.int32)
        self._columns.extend(columns)
        self._texts += b"".join(args)

    def pack(self) -> None:
        """Move what was appended into arrays."""
        if not self._rows:
            return
        rows = zip(*self._rows, strict=True)
        columns = {name: np.array(values) for name, values in zip(COLUMNS, rows, strict=True)}
        self._columns.extend(columns)
        self._texts += b"".join(self._new_texts)
        self._rows, self._new_texts = [], []

    def end(self, rows: np.ndarray, ends_ns: np.ndarray) -> None:
        """Let the spans in these rows, of which only the beginning was known, end then."""
        self.pack()
        self._columns["dur_ns"][rows] = ends_ns - self._columns["ts_ns"][rows]

    def move_lanes(self, new: Mapping[Lane, Lane]) -> None:
        """Let the spans of each of these lanes stand on another one, which has none yet."""
        self.lanes = {new.get(lane, lane): number for lane, number in self.lanes.items()}

    def rename_kinds(self, lanes: set[int], kind_of: Callable[[str], str]) -> None:
        """Give the spans on these lanes (by number) the kind that goes with their name; instants
        stay what they are."""
        self.pack()
        names = list(self.names)
        new = np.array([code(self.kinds, kind_of(name)) for name in names], dtype=np.int32)
        numbers, kinds, name_codes = (self._columns[name] for name in ("lane", "kind", "name"))
        chosen = np.isin(numbers, list(lanes)) & (kinds != self.kinds.get("instant", NONE))
        kinds[chosen] = new[name_codes[chosen]]

    def sorted_columns(self) -> dict[str, Any]:
        """All columns in the order of a trace, lanes as numbers; the table is empty then."""
        self.pack()
        columns: dict[str, Any] = {name: self._columns[name] for name in COLUMNS}
        columns["args"] = ArgsArray.of(bytes(self._texts), columns["args"])
        self._columns, self._texts = GrowingColumns(COLUMNS), bytearray()
        order = np.lexsort((-columns["dur_ns"], columns["ts_ns"]))
        for name, column in columns.items():
            columns[name] = column[order]
        for name, words in (("kind", self.kinds), ("name", self.names)):
            columns[name] = categorical(list(words), columns[name])
        return columns


def categorical(words: Sequence[str], numbers: np.ndarray) -> pd.Categorical:
    """A text column of which `numbers` says the places in `words`, where a word may stand
    twice."""
    places, distinct = pd.factorize(np.array(words, dtype=object))
    # categories of objects: pandas would make texts of Arrow's of them, slow and large
    return pd.Categorical.from_codes(
        places.astype(np.int32)[numbers], pd.Index(distinct, dtype=object)
    )


def code(numbers: dict[K, int], key: K) -> int:
    """The number of a key, which it gets when it is first named."""
    return numbers.setdefault(key, len(numbers))


LONGEST_NAME, LONGEST_LABEL, LONGEST_VALUE = 8_000, 256, 1_000
"""Letters of what may stand in many rows: of the name of a span (those of template kernels have
some 3,000), of each part of a track's or a counter's, and of a value that args share."""


def cut(words: str, longest: int) -> str:
    """The words, or of longer ones the beginning."""
    return words if len(words) <= longest else words[: longest - 1] + "…"


MAX_WHOLE = 1 << 63
"""From here on a whole number is written as the file's own float: digits would be made up."""


def text(value: Scalar) -> str:
    """An id or a name of a file as text of at most `LONGEST_NAME` letters; "" for none. Ids that
    are equal, as 1 and 1.0 are, get one text whichever comes first."""
    if isinstance(value, str):
        return cut(value, LONGEST_NAME)
    if isinstance(value, bool | float) and value == value // 1 and abs(value) < MAX_WHOLE:
        return str(int(value))
    return "" if value is None else str(value)
