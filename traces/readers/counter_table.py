"""The counters of a Chrome file as columns: a row for each series of each event."""

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from traces.readers.event_repair import Event
from traces.readers.growing_columns import GrowingColumns
from traces.readers.source import check_size
from traces.readers.span_table import LONGEST_LABEL, code, cut, text

COLUMNS = {"ts_ns": np.int64, "pid": np.int32, "name": np.int32, "value": np.float64}
NO_VALUE = (b"", b"null")

_decode_many = msgspec.json.Decoder(list[dict[str, Any] | None]).decode
_decode = msgspec.json.Decoder(dict[str, Any]).decode


class CounterTable:
    """Growing columns of counters; processes and names are stored once. Raises TraceError as soon
    as the names hold more than `max_bytes`: each series has that of its event before its own."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._names_bytes = 0
        self._columns = GrowingColumns(COLUMNS)
        self._pids: dict[str, int] = {}
        self._names: dict[str, int] = {}

    def extend(self, events: list[Event], ts_ns: np.ndarray) -> None:
        """Append the series of counter events, of which each has its time (ns)."""
        rows = [
            (ts, code(self._pids, text(event.pid)), self._name(event, series), value)
            for event, ts, args in zip(events, ts_ns.tolist(), all_args(events), strict=True)
            for series, value in (args or {}).items()
            if isinstance(value, int | float) and not isinstance(value, bool)
        ]
        if rows:
            found = dict(zip(COLUMNS, zip(*rows, strict=True), strict=True))
            self._columns.extend({k: np.array(v, dtype=COLUMNS[k]) for k, v in found.items()})

    def _name(self, event: Event, series: str) -> int:
        """The number of a series' name."""
        name, own = cut(text(event.name), LONGEST_LABEL), cut(series, LONGEST_LABEL)
        if own not in ("value", name):
            name = f"{name} {own}"
        if name not in self._names:
            self._names_bytes += len(name)
            check_size(self._names_bytes, self._max_bytes)
        return code(self._names, name)

    def columns(self, process: Callable[[str], str]) -> dict[str, np.ndarray]:
        """Time, name of the process (as `track`, which `process` tells of its id), name and value
        of every row."""
        tracks = [process(pid) for pid in self._pids]
        return {
            "ts_ns": self._columns["ts_ns"],
            "track": np.array(tracks, dtype=object)[self._columns["pid"]],
            "name": np.array(list(self._names), dtype=object)[self._columns["name"]],
            "value": self._columns["value"],
        }


def all_args(events: list[Event]) -> list[dict[str, Any] | None]:
    """The args of each event as a dict; None where there are none, or none that can be read."""
    try:
        texts = [bytes(event.args) or b"null" for event in events]
        return _decode_many(b"[" + b",".join(texts) + b"]")
    except (msgspec.DecodeError, RecursionError):
        return [_args(bytes(event.args)) for event in events]


def _args(raw: bytes) -> dict[str, Any] | None:
    try:
        return _decode(raw) if raw not in NO_VALUE else None
    except (msgspec.DecodeError, RecursionError):
        return None
