"""The spans of a Chrome or profiler file, a piece of the file at a time instead of one by one.

A long trace is nearly all complete events. These become columns at once: of those in a profiler's
own categories only a few args matter, those of all others are kept as text. Other phases, and
every piece with something unusual in it, are left to `chrome_reader`.
"""

import re
from collections.abc import Callable, Hashable
from typing import TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from traces.args_column import encoded
from traces.clock import LIMIT_NS, to_ns
from traces.readers.event_repair import Event, Scalar
from traces.readers.kineto import (
    LAUNCH_FLOWS,
    LEGACY_GPU_PID,
    MARKER,
    MAX_NUMBER,
    GpuArgs,
    Role,
    number,
    role_of,
)
from traces.readers.span_table import Lane, SpanTable, code, text
from traces.schema import NONE

Int64s = NDArray[np.int64]
K = TypeVar("K", bound=Hashable)

LEAVE, HOST_WORK, CALL, ON_GPU, PLAIN, PLAIN_CALL = range(6)
"""What an event is to this file: not its business, work of a profiler's categories of three
sorts, or that of any other file, whose args are all kept."""

NO_VALUE = (b"", b"null")
CORRELATION_KEY = b"correlation_id"

FLOW_PHASES = ("s", "t", "f")
NANOSECONDS = re.compile(rb"\d{1,15}\.\d{3}(?:,\d{1,15}\.\d{3})*")
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
    """Moves events into a table; `kept` counts them, `lost` those without a usable time."""

    def __init__(self, table: SpanTable) -> None:
        self._table = table
        self._numbers = _Remembered(self._learn)
        """(category, name) -> place in the lists below."""
        self._sorts: list[int] = []
        self._kinds: list[int] = []
        self._names: list[int] = []
        self._host_lanes = _Remembered(self._host_lane)
        self._gpu_lanes = _Remembered(self._gpu_lane)
        self.has_correlations = self.is_profiler = False
        self.kept = self.lost = self.end_ns = 0

    def take(self, events: list[Event]) -> list[Event]:
        """Move what can be moved in bulk; the rest is returned, without launch arrows where
        correlation ids make them needless."""
        rows = [event for event in events if event.ph == "X"]
        numbers = self._numbers
        what = np.array([numbers[event.cat, event.name] for event in rows], dtype=np.int64)
        sorts = np.array(self._sorts, dtype=np.int64)[what] if rows else what
        is_mine = sorts != LEAVE
        mine = rows if is_mine.all() else [rows[at] for at in is_mine.nonzero()[0].tolist()]
        starts = bulk_ns([event.ts for event in mine])
        lengths = bulk_ns([event.dur for event in mine], missing=0)
        if not mine or starts is None or lengths is None or (lengths < 0).any():
            return events
        if any(event.pid == LEGACY_GPU_PID for event in mine):
            return events
        self._add(mine, what[is_mine], sorts[is_mine], starts, lengths)
        needless = LAUNCH_FLOWS if self.has_correlations else ()
        others = [
            event
            for event in events
            if event.ph != "X" and not (event.cat in needless and event.ph in FLOW_PHASES)
        ]
        return others + [rows[at] for at in (~is_mine).nonzero()[0].tolist()]

    def _learn(self, key: tuple[Scalar, Scalar]) -> int:
        category, name = (text(value) for value in key)
        role = role_of(category, name, None)
        self._sorts.append(_sort(role))
        self._kinds.append(code(self._table.kinds, role.kind))
        self._names.append(code(self._table.names, name))
        return len(self._sorts) - 1

    def _add(
        self, events: list[Event], what: Int64s, sorts: Int64s, starts: Int64s, lengths: Int64s
    ) -> None:
        for sort in (HOST_WORK, CALL, ON_GPU, PLAIN, PLAIN_CALL):
            at = (sorts == sort).nonzero()[0]
            if len(at):
                own = [events[place] for place in at.tolist()]
                self._extend(sort, own, what[at], starts[at], lengths[at])
        self.end_ns = max(self.end_ns, int((starts + lengths).max()))

    def _extend(
        self, sort: int, events: list[Event], what: Int64s, starts: Int64s, lengths: Int64s
    ) -> None:
        """Add events of one sort."""
        args = _args(events) if sort not in (HOST_WORK, PLAIN) else []
        kinds = np.array(self._kinds)[what]
        lost = np.zeros(len(events), dtype=bool)
        if sort == ON_GPU:
            lanes = self._lanes_on_gpu(events, args, kinds)
            lost = (starts == 0) & (lengths == 0)  # what a full buffer leaves
        else:
            lanes = [self._host_lanes[event.pid, event.tid] for event in events]
        correlations = _correlations(args) if args else np.full(len(events), NONE)
        if sort == PLAIN:
            correlations = _named_correlations(events)
        is_call = sort in (CALL, PLAIN_CALL)
        self.has_correlations |= is_call and bool((correlations > 0).any())
        self.is_profiler |= sort in (HOST_WORK, CALL) or (sort == ON_GPU and not lost.all())
        self.lost += int(lost.sum())
        self.kept += int((~lost).sum())
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
        plain = sort in (PLAIN, PLAIN_CALL)
        own = [encoded(bytes(event.args)) for event in events] if plain else map(kept_args, args)
        self._table.extend(columns, list(own))

    def _lanes_on_gpu(self, events: list[Event], args: list[GpuArgs], kinds: Int64s) -> list[int]:
        lanes = self._gpu_lanes
        annotated = (kinds == self._table.kinds.get("annotation", NONE)).tolist()
        return [
            lanes[event.pid, event.tid, own.device, own.stream, is_annotation]
            for event, own, is_annotation in zip(events, args, annotated, strict=True)
        ]

    def _host_lane(self, key: tuple[Scalar, Scalar]) -> int:
        return code(self._table.lanes, Lane(text(key[0]), text(key[1])))

    def _gpu_lane(self, key: tuple[Scalar, Scalar, Scalar, Scalar, bool]) -> int:
        return code(self._table.lanes, gpu_lane(*key))


def gpu_lane(pid: Scalar, tid: Scalar, device: Scalar, stream: Scalar, is_annotation: bool) -> Lane:
    """The lane of a GPU's event: device and stream as its args say, else as its row does."""
    number_of_device = max(number(device, number(pid, 0)), 0)
    label = "annotations" if is_annotation else ""
    return Lane(text(pid), text(tid), number_of_device, number(stream, number(tid)), label)


def bulk_ns(times: list[msgspec.Raw], missing: int | None = None) -> Int64s | None:
    """ns of many times in µs as JSON text, exactly; None if one of them is no time. `missing` is
    what counts for one that is not given."""
    joined = b",".join(times)
    if NANOSECONDS.fullmatch(joined):
        found = np.fromstring(joined.replace(b".", b""), dtype=np.int64, sep=",")
    elif MICROSECONDS.fullmatch(joined):
        found = np.fromstring(joined, dtype=np.int64, sep=",") * 1000
    else:
        texts = [bytes(time) for time in times]
        values = [missing if text in NO_VALUE else to_ns(text) for text in texts]
        if None in values:
            return None
        found = np.array(values, dtype=np.int64)
    return found if (found < LIMIT_NS).all() else None


def _sort(role: Role) -> int:
    if role.kind == MARKER:
        return LEAVE
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
    if not any(CORRELATION_KEY in bytes(event.args) for event in events):
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
