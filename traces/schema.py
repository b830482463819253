"""The one model of a trace: spans, flow edges, counters and free metadata.

Engine dumps and uploaded profiler files become the same `Trace`, so every figure
and every analysis serves both. Times are int64 nanoseconds everywhere; nothing
here rounds. This module knows no file format and computes no statistics.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import pandas as pd

from traces.args_column import ArgsArray

HOST = -1
"""The `device` of a span that ran on the host."""

NONE = -1
"""No stream, step, slot or correlation."""

ENGINE_FORMAT = "overlap-lab"
"""`meta["format"]` of a trace that this project's engine made."""

BUSY_HOST_KINDS = frozenset({"host", "launch", "sync", "runtime", "op", "python", "overhead"})
"""Host spans that can explain what the host was doing."""

COPY_KINDS = frozenset({"h2d", "d2h", "copy"})
GPU_KINDS = COPY_KINDS | {"kernel", "memset"}
"""Device work that counts as busy. "annotation" and "instant" never do."""

KINDS = BUSY_HOST_KINDS | GPU_KINDS | {"annotation", "instant"}

SPAN_DEFAULTS: dict[str, Any] = {
    "ts_ns": 0,
    "dur_ns": 0,
    "track": "",
    "kind": "host",
    "name": "",
    "stream": NONE,
    "device": HOST,
    "step": NONE,
    "slot": NONE,
    "correlation": NONE,
    "pid": "",
    "tid": "",
    "args": None,
}
ID_COLUMNS = frozenset({"stream", "device", "step", "slot", "correlation"})
"""int32 where all of a trace's fit: half the memory of a long trace's columns."""

FLOW_DEFAULTS: dict[str, Any] = {"src": NONE, "dst": NONE, "kind": "other"}
COUNTER_DEFAULTS: dict[str, Any] = {"ts_ns": 0, "track": "", "name": "", "value": 0.0}

Column = Sequence[Any] | np.ndarray | ArgsArray | pd.Categorical
Rows = Sequence[Mapping[str, Any]] | Mapping[str, Column]
"""A table as rows (dicts, missing keys take the default) or as columns."""


class TraceError(Exception):
    """A file cannot be read as a trace; the message is one sentence for the reader."""


class NoTraceError(TraceError):
    """Nothing in the file is known here: it may well be none that anybody took for a trace."""


@dataclass(eq=False)
class Trace:
    """A recorded run.

    `spans`: columns `SPAN_DEFAULTS` in that order, sorted by (ts_ns, -dur_ns, order
    of arrival), index 0..n-1 = span id. `kind` is one of `KINDS`; `track` is the lane
    label; `args` is a dict or None. Text columns are Python strings or, in long traces, a
    categorical of them; ids are int32 or int64.
    `flows`: `src`, `dst` (span ids) and `kind`: "launch" (launch span -> device op),
    "event" (device op behind a recorded event -> device op that waited), "stream" and
    "barrier" (device op -> device op), "other".
    `counters`: `ts_ns`, `track`, `name`, `value`, sorted by time.
    `meta`: anything JSON can hold; `meta["format"]` says where the trace comes from.
    """

    spans: pd.DataFrame
    flows: pd.DataFrame
    counters: pd.DataFrame
    meta: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def from_rows(
        cls,
        spans: Rows,
        flows: Rows = (),
        counters: Rows = (),
        meta: Mapping[str, Any] | None = None,
    ) -> "Trace":
        """Build a trace from plain rows or columns; missing columns take their default.

        Spans may come in any order: they are sorted here, and flows, which name spans
        by their position in the input, follow. `meta["format"]` defaults to the
        engine's. Raises ValueError for an unknown column, columns of unequal length, an
        unknown kind, a negative duration or a flow to a span that does not exist.
        """
        span_columns = _columns(spans, SPAN_DEFAULTS)
        _check_spans(span_columns)
        order = np.lexsort((-span_columns["dur_ns"], span_columns["ts_ns"]))
        flow_columns = _columns(flows, FLOW_DEFAULTS)
        _renumber_flows(flow_columns, order)
        if not (order[1:] > order[:-1]).all():  # else a copy of everything is spared
            span_columns = {name: column[order] for name, column in span_columns.items()}
        counter_columns = _columns(counters, COUNTER_DEFAULTS)
        by_time = np.argsort(counter_columns["ts_ns"], kind="stable")
        return cls(
            _frame(span_columns),
            _frame(flow_columns),
            _frame({name: column[by_time] for name, column in counter_columns.items()}),
            {"format": ENGINE_FORMAT} | dict(meta or {}),
        )

    @property
    def is_engine_dump(self) -> bool:
        """Whether this project's engine made the trace (flows then explain every start)."""
        return bool(self.meta.get("format") == ENGINE_FORMAT)

    @property
    def devices(self) -> list[int]:
        """Devices that did GPU work, ascending."""
        return sorted(int(d) for d in self.gpu_spans()["device"].unique())

    def gpu_spans(self, device: int | None = None) -> pd.DataFrame:
        """Kernels, copies and memsets (of one device, or of all), with their span ids."""
        devices = self.spans["device"].to_numpy()
        there = np.flatnonzero(devices >= 0 if device is None else devices == device)
        works = self.spans["kind"].iloc[there].isin(GPU_KINDS).to_numpy()
        return self.spans.iloc[there[works]]

    def host_spans(self) -> pd.DataFrame:
        """Host work of every kind that can explain a gap, with the span ids."""
        mask = self.spans["kind"].isin(BUSY_HOST_KINDS) & (self.spans["device"] == HOST)
        return self.spans[mask]


def _columns(rows: Rows, defaults: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """One numpy array a column: int64, float64 or object, after the default's type."""
    if isinstance(rows, Mapping):
        unknown = set(rows) - set(defaults)
        length = max((len(column) for column in rows.values()), default=0)
        given: Mapping[str, Column] = rows
    else:
        unknown = set().union(*rows) - set(defaults)
        length = len(rows)
        given = {name: [row.get(name, d) for row in rows] for name, d in defaults.items()}
    if unknown:
        raise ValueError(f"unknown columns: {', '.join(sorted(unknown))}")
    columns = {}
    for name, default in defaults.items():
        column = _array(given[name], default) if name in given else _filled(length, default)
        columns[name] = narrowed(column) if name in ID_COLUMNS else column
    if any(len(column) != length for column in columns.values()):
        raise ValueError("the columns have different lengths")
    return columns


def _dtype(default: object) -> type:
    return {int: np.int64, float: np.float64}.get(type(default), object)


def _filled(length: int, default: object) -> np.ndarray:
    return np.full(length, default, dtype=_dtype(default))


def _array(values: Column, default: object) -> np.ndarray:
    """`values` as an array; a dict or list inside stays one object."""
    dtype = _dtype(default)
    if isinstance(values, ArgsArray | pd.Categorical):
        return cast("np.ndarray", values)  # it is picked from as an array is
    if isinstance(values, np.ndarray) or dtype is not object:
        return np.asarray(values, dtype=dtype)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def narrowed(ids: np.ndarray) -> np.ndarray:
    """The same numbers as int32 if it has room for them."""
    narrow = ids.astype(np.int32, copy=False)
    return narrow if np.array_equal(narrow, ids) else ids


def _frame(columns: dict[str, np.ndarray]) -> pd.DataFrame:
    """A frame whose text columns stay Python strings, and categoricals what they are."""
    return pd.DataFrame(
        {n: pd.Series(column, dtype=column.dtype, copy=False) for n, column in columns.items()},
        copy=False,
    )


def _check_spans(columns: Mapping[str, np.ndarray]) -> None:
    unknown = set(pd.unique(columns["kind"])) - KINDS
    if unknown:
        raise ValueError(f"unknown span kinds: {', '.join(sorted(map(str, unknown)))}")
    if (columns["dur_ns"] < 0).any():
        raise ValueError("a span has a negative duration")


def _renumber_flows(flows: dict[str, np.ndarray], order: np.ndarray) -> None:
    """Translate input positions to span ids, in place."""
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    for end in ("src", "dst"):
        ids = flows[end]
        if len(ids) and (ids.min() < 0 or ids.max() >= len(order)):
            raise ValueError("a flow points to a span that does not exist")
        flows[end] = position[ids]
