"""The spans of a Chrome or profiler file, a piece of the file at a time instead of one by one.

Whatever begins becomes columns at once: of events in a profiler's own categories only a few args
matter, those of all others are kept as text.
"""

import re
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from traces.args_column import encoded
from traces.clock import LIMIT_NS, to_ns
from traces.readers.event_repair import Event, Scalar
from traces.readers.kineto import (
    LEGACY_GPU_PID,
    MARKER,
    MAX_NUMBER,
    GpuArgs,
    Role,
    is_marker,
    number,
    role_of,
)
from traces.readers.span_table import Lane, SpanTable, code, text
from traces.schema import NONE

Int64s = NDArray[np.int64]
K = TypeVar("K", bound=Hashable)

MARK, HOST_WORK, CALL, ON_GPU, PLAIN, PLAIN_CALL, INSTANT, ASYNC = range(8)
"""What an event is: a profiler's word about itself, work of a profiler's categories of three
sorts, or that of any other file, whose args are all kept."""

OPEN = -1
"""The length of a span that has only begun."""

NO_VALUE = (b"", b"null")
CORRELATION_KEY = b"correlation_id"

NANOSECONDS = re.compile(rb"\d{1,15}\.\d{3}(?:,\d{1,15}\.\d{3})*")
SHORT = re.compile(rb"\d{1,12}(?:\.\d{1,3})?(?:,\d{1,12}(?:\.\d{1,3})?)*")
"""Times of under 12 days: as a float, these are the right ns after rounding."""

MICROSECONDS = re.compile(rb"\d{1,15}(?:,\d{1,15})*")

_decode_args = msgspec.json.Decoder(list[GpuArgs]).decode


class _Remembered(dict[K, int]):
    """Numbers of keys, found once: a plain dict look-up for every key but a new one."""

    def __init__(self, number_of: Callable[[K], int]) -> None:
        super().__init__()
        self._number_of = number_of

    def __missing__(self, key: K) -> int:
        number = self[key] = self._number_of(key)
        return number


class BulkReader:
    """Moves spans into a table. `lost` counts those on a GPU that have no time, `markers` are what
    the profiler says about itself; of all others `end_ns` is the latest end."""

    def __init__(self, table: SpanTable) -> None:
        self._table = table
        self._numbers = _Remembered(self._learn)
        """(category, name, what else tells their sort) -> place in the lists below."""
        self._sorts: list[int] = []
        self._kinds: list[int] = []
        self._names: list[int] = []
        self._host_lanes = _Remembered(self._host_lane)
        self._gpu_lanes = _Remembered(self._gpu_lane)
        self._async_lanes = _Remembered(self._async_lane)
        self.markers: list[dict[str, Any]] = []
        self.has_correlations = self.is_profiler = False
        self.lost = self.end_ns = 0

    def spans(self, events: list[Event], starts: Int64s, lengths: Int64s) -> Int64s:
        """Add complete events, or beginnings (of length `OPEN`). Returns the row of each, NONE for
        one that is no span."""
        is_old = LEGACY_GPU_PID in {event.pid for event in events}
        old = [is_old and event.pid == LEGACY_GPU_PID for event in events] if is_old else None
        return self._add(events, self._what(events, old), starts, lengths)

    def instants(self, events: list[Event], starts: Int64s) -> None:
        """Add events without a duration."""
        what = self._what(events, [INSTANT] * len(events))
        self._add(events, what, starts, np.zeros_like(starts))

    def asyncs(self, events: list[Event], starts: Int64s) -> Int64s:
        """Add beginnings of asynchronous spans, each on a lane of its category; their rows."""
        what = self._what(events, [ASYNC] * len(events))
        return self._add(events, what, starts, np.full_like(starts, OPEN))

    def _what(self, events: list[Event], more: list[Any] | None) -> Int64s:
        numbers = self._numbers
        if more is None:
            found = [numbers[event.cat, event.name, False] for event in events]
        else:
            keys = zip(events, more, strict=True)
            found = [numbers[event.cat, event.name, own] for event, own in keys]
        return np.array(found, dtype=np.int64)

    def _learn(self, key: tuple[Scalar, Scalar, bool | int]) -> int:
        """A number for events of this category and name: those of the oldest profiler's GPU
        (True), `INSTANT`, `ASYNC`, or all others (False)."""
        category, name = (text(value) for value in key[:2])
        if key[2] == INSTANT:
            sort, kind = MARK if is_marker(name) else INSTANT, "instant"
        elif key[2] == ASYNC:
            sort, kind = ASYNC, "annotation"
        else:
            role = role_of(category, name, LEGACY_GPU_PID if key[2] else None)
            sort = _sort(role)
            kind = "annotation" if sort == MARK else role.kind
        self._sorts.append(sort)
        self._kinds.append(code(self._table.kinds, kind))
        self._names.append(code(self._table.names, name))
        return len(self._sorts) - 1

    def _add(self, events: list[Event], what: Int64s, starts: Int64s, lengths: Int64s) -> Int64s:
        sorts = np.array(self._sorts, dtype=np.int64)[what]
        sorts[(sorts == MARK) & (lengths == OPEN)] = HOST_WORK  # marks are complete events
        rows = np.full(len(events), NONE)
        for sort in np.unique(sorts).tolist():
            at = (sorts == sort).nonzero()[0]
            own = events if len(at) == len(events) else [events[place] for place in at.tolist()]
            if sort == MARK:
                self._mark(own, starts[at], lengths[at])
                continue
            self.end_ns = max(self.end_ns, int((starts[at] + lengths[at]).max()))
            first = len(self._table)
            kept = at[self._extend(sort, own, what[at], starts[at], lengths[at])]
            rows[kept] = np.arange(first, first + len(kept))
        return rows

    def _mark(self, events: list[Event], starts: Int64s, lengths: Int64s) -> None:
        for event, start, length in zip(events, starts.tolist(), lengths.tolist(), strict=True):
            self.markers.append({"name": text(event.name), "ts_ns": start, "dur_ns": length})

    def _extend(
        self, sort: int, events: list[Event], what: Int64s, starts: Int64s, lengths: Int64s
    ) -> NDArray[np.bool_]:
        """Add events of one sort; says which of them."""
        args = _args(events) if sort in (CALL, ON_GPU, PLAIN_CALL) else []
        kinds = np.array(self._kinds)[what]
        lost = np.zeros(len(events), dtype=bool)
        if sort == ON_GPU:
            lanes = self._lanes_on_gpu(events, args, kinds)
            lost = (starts == 0) & (lengths == 0)  # what a full buffer leaves
        elif sort == ASYNC:
            lanes = [self._async_lanes[event.pid, event.tid, event.cat] for event in events]
        else:
            lanes = [self._host_lanes[event.pid, event.tid] for event in events]
        correlations = _correlations(args) if args else np.full(len(events), NONE)
        if sort == PLAIN:
            correlations = _named_correlations(events)
        is_call = sort in (CALL, PLAIN_CALL)
        self.has_correlations |= is_call and bool((correlations > 0).any())
        self.is_profiler |= sort in (HOST_WORK, CALL) or (sort == ON_GPU and not lost.all())
        self.lost += int(lost.sum())
        columns = {
            "ts_ns": starts,
            "dur_ns": lengths,
            "lane": np.array(lanes, dtype=np.int64),
            "correlation": correlations,
            "kind": kinds,
            "name": np.array(self._names)[what],
        }
        if lost.any():
            columns = {name: column[~lost] for name, column in columns.items()}
            args = [own for own, is_lost in zip(args, lost.tolist(), strict=True) if not is_lost]
        plain = sort in (PLAIN, PLAIN_CALL, INSTANT)
        own = [encoded(bytes(event.args)) for event in events] if plain else map(kept_args, args)
        self._table.extend(columns, list(own))
        return ~lost

    def _lanes_on_gpu(self, events: list[Event], args: list[GpuArgs], kinds: Int64s) -> list[int]:
        lanes = self._gpu_lanes
        annotated = (kinds == self._table.kinds.get("annotation", NONE)).tolist()
        return [
            lanes[event.pid, event.tid, own.device, own.stream, is_annotation]
            for event, own, is_annotation in zip(events, args, annotated, strict=True)
        ]

    def _host_lane(self, key: tuple[Scalar, Scalar]) -> int:
        return code(self._table.lanes, Lane(text(key[0]), text(key[1])))

    def _async_lane(self, key: tuple[Scalar, Scalar, Scalar]) -> int:
        pid, tid, category = (text(value) for value in key)
        return code(self._table.lanes, Lane(pid, tid, label=category or "async"))

    def _gpu_lane(self, key: tuple[Scalar, Scalar, Scalar, Scalar, bool]) -> int:
        return code(self._table.lanes, gpu_lane(*key))


def gpu_lane(pid: Scalar, tid: Scalar, device: Scalar, stream: Scalar, is_annotation: bool) -> Lane:
    """The lane of a GPU's event: device and stream as its args say, else as its row does."""
    number_of_device = max(number(device, number(pid, 0)), 0)
    label = "annotations" if is_annotation else ""
    return Lane(text(pid), text(tid), number_of_device, number(stream, number(tid)), label)


def times_ns(
    times: list[msgspec.Raw], missing: int | None = None
) -> tuple[Int64s, NDArray[np.bool_]]:
    """ns of many times in µs as JSON text, exactly, and which of them are times. `missing` is what
    counts for one that is not given."""
    joined = b",".join(times)
    found = None
    if NANOSECONDS.fullmatch(joined):
        found = np.fromstring(joined.replace(b".", b""), dtype=np.int64, sep=",")
    elif MICROSECONDS.fullmatch(joined):
        found = np.fromstring(joined, dtype=np.int64, sep=",") * 1000
    elif SHORT.fullmatch(joined):
        found = np.rint(np.fromstring(joined, sep=",") * 1000).astype(np.int64)
    if found is not None and (found < LIMIT_NS).all():
        return found, np.ones(len(found), dtype=bool)
    texts = [bytes(time) for time in times]
    values = [missing if text in NO_VALUE else to_ns(text) for text in texts]
    is_time = np.array([value is not None for value in values], dtype=bool)
    return np.array([value or 0 for value in values], dtype=np.int64), is_time


def _sort(role: Role) -> int:
    if role.kind == MARKER:
        return MARK
    if role.on_gpu:
        return ON_GPU
    is_call = role.kind in ("launch", "sync", "runtime")
    if role.is_profiler:
        return CALL if is_call else HOST_WORK
    return PLAIN_CALL if is_call else PLAIN


def _args(events: list[Event]) -> list[GpuArgs]:
    """The args that place each event; none where they are missing or not as expected."""
    try:
        return _decode_args(b"[" + b",".join([bytes(e.args) or b"{}" for e in events]) + b"]")
    except (msgspec.DecodeError, RecursionError):
        return [gpu_args(event) for event in events]


def _correlations(args: list[GpuArgs]) -> Int64s:
    found = [
        own.correlation
        if type(own.correlation) is int
        else number(own.correlation, number(own.correlation_id))
        for own in args
    ]
    try:
        numbers = np.array(found, dtype=np.int64)
    except OverflowError:
        numbers = np.array([number(value) for value in found], dtype=np.int64)
    return np.where(np.abs(numbers) < MAX_NUMBER, numbers, NONE)


def _named_correlations(events: list[Event]) -> Int64s:
    """The ids that spans of a generic trace give themselves; few do."""
    if CORRELATION_KEY not in b"".join([event.args for event in events]):
        return np.full(len(events), NONE)
    found = [number(own.correlation_id) for own in _args(events)]
    return np.array(found, dtype=np.int64)


def kept_args(args: GpuArgs) -> bytes:
    """Of a profiler's args what stays beside the lane, as JSON text: the bytes of a copy, and what
    a stream waits for."""
    if args.bytes is not None:
        return b'{"bytes":%d}' % number(args.bytes)
    if (call := number(args.wait_on_cuda_event_record_corr_id)) > 0:
        stream = number(args.wait_on_stream)
        return b'{"wait_on_stream":%d,"wait_on_cuda_event_record_corr_id":%d}' % (stream, call)
    return b""


def gpu_args(event: Event) -> GpuArgs:
    """The args that place one event; none where they are missing or not as expected."""
    try:
        return _decode_args(b"[" + bytes(event.args) + b"]")[0]
    except (msgspec.DecodeError, RecursionError, IndexError):
        return GpuArgs()
