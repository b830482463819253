"""Growing columns of spans: appended one event at a time, kept as numpy arrays.

Python objects live only until the next `pack`; names and lanes are stored once.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from traces.event_repair import Scalar
from traces.schema import HOST, NONE

NUMBERS = ("ts_ns", "dur_ns", "lane", "correlation")
OBJECTS = ("kind", "name", "args")


class Lane(NamedTuple):
    """Where a span stands. `label` says which lane of the thread it is: "" for the calls of
    the thread itself, else "annotations" or the name of an asynchronous track."""

    pid: str
    tid: str
    device: int = HOST
    stream: int = NONE
    label: str = ""


class SpanTable:
    """Columns of spans whose lane is a number into `lanes`."""

    def __init__(self) -> None:
        self.lanes: dict[Lane, int] = {}
        self._names: dict[str, str] = {}
        self._packed: dict[str, list[np.ndarray]] = {name: [] for name in NUMBERS + OBJECTS}
        self._rows: list[tuple[Any, ...]] = []

    def add(
        self,
        ts_ns: int,
        dur_ns: int,
        lane: Lane,
        kind: str,
        name: str,
        correlation: int = NONE,
        args: dict[str, Any] | None = None,
    ) -> None:
        """Append one span."""
        number = self.lanes.setdefault(lane, len(self.lanes))
        name = self._names.setdefault(name, name)
        self._rows.append((ts_ns, dur_ns, number, correlation, kind, name, args))

    def pack(self) -> None:
        """Move what was appended into arrays."""
        columns = list(zip(*self._rows, strict=True)) or [()] * len(self._packed)
        for (name, parts), values in zip(self._packed.items(), columns, strict=True):
            array = np.empty(len(values), dtype=np.int64 if name in NUMBERS else object)
            array[:] = values
            parts.append(array)
        self._rows = []

    def move_lane(self, old: Lane, new: Lane) -> None:
        """Let the spans of a lane stand on another one, which has none yet."""
        self.lanes = {new if lane == old else lane: number for lane, number in self.lanes.items()}

    def rename_kinds(self, lanes: set[int], kind_of: Callable[[str], str]) -> None:
        """Give the spans on these lanes (by number) the kind that goes with their name; instants
        stay what they are."""
        self.pack()
        columns = (self._packed[name] for name in ("lane", "kind", "name"))
        for numbers, kinds, names in zip(*columns, strict=True):
            chosen = np.isin(numbers, list(lanes)) & (kinds != "instant")
            kinds[chosen] = [kind_of(name) for name in names[chosen]]

    def columns(self) -> dict[str, np.ndarray]:
        """All columns, packed."""
        self.pack()
        return {name: np.concatenate(parts) for name, parts in self._packed.items()}


def text(value: Scalar) -> str:
    """An id or a name of a file as text; "" for none."""
    if isinstance(value, str):
        return value
    return "" if value is None else str(value)
