"""From the events of a Chrome or PyTorch profiler file to a `Trace`.

Handles the phases X, B/E, b/n/e, S/T/p/F, i/I/R, C, M and s/t/f. Of a profiler's own
categories only the args that place an operation are kept.
"""

from collections import Counter
from collections.abc import Hashable
from typing import Any

import msgspec

from traces.clock import to_ns
from traces.readers.assembly import LaneNames
from traces.readers.bulk import BulkReader, gpu_args, gpu_lane, kept_args
from traces.readers.chrome_text import ChromeText
from traces.readers.event_repair import Event
from traces.readers.flow_binding import FlowPoint
from traces.readers.kineto import (
    LAUNCH_FLOWS,
    LEGACY_GPU_PID,
    MARKER,
    Role,
    is_marker,
    number,
    role_of,
)
from traces.readers.pairing import Pairing
from traces.readers.span_table import Lane, SpanTable, text
from traces.schema import NONE

_decode_args = msgspec.json.Decoder(dict[str, Any]).decode

NO_VALUE = (b"", b"null")
NO_TIME = "no time"
NEGATIVE = "negative duration"
NOT_DRAWN = "not drawn"


class ChromeReader:
    """Collects the events of one file; `chrome_trace` makes the trace of it."""

    def __init__(self) -> None:
        self.table = SpanTable()
        self.names = LaneNames()
        self.points: list[FlowPoint] = []
        """Ends of arrows, without those that correlation ids make needless."""
        self.counters: list[dict[str, Any]] = []
        self.markers: list[dict[str, Any]] = []
        self.threads: Pairing[Hashable, Event] = Pairing()
        self.asyncs: Pairing[Hashable, Event] = Pairing()
        self.skipped: Counter[str] = Counter()
        self.is_profiler = False
        self._roles: dict[tuple[str, str, bool], Role] = {}
        self._bulk = BulkReader(self.table)
        self._end_ns = 0
        self._by_phase = {
            "X": self._complete,
            "B": self._nested,
            "E": self._nested,
            "b": self._async,
            "e": self._async,
            "S": self._async,
            "F": self._async,
            "n": self._instant,
            "T": self._instant,
            "p": self._instant,
            "i": self._instant,
            "I": self._instant,
            "R": self._instant,
            "C": self._counter,
            "s": self._flow,
            "t": self._flow,
            "f": self._flow,
        }

    def read(self, chrome: ChromeText) -> None:
        """Take in every event of the file."""
        for events in chrome:
            for event in self._bulk.take(events):
                self._take(event)
            self.table.pack()
        self.is_profiler |= self._bulk.is_profiler
        self.skipped[NO_TIME] += self._bulk.lost
        self._end_ns = max(self._end_ns, self._bulk.end_ns)
        if self._bulk.has_correlations:
            self.points = [point for point in self.points if point.flow[0] not in LAUNCH_FLOWS]
        marks = (self.threads.latest_ns(), self.asyncs.latest_ns())
        end_ns = max([self._end_ns, *(mark for mark in marks if mark is not None)])
        for event, start, end, _ in self.threads.spans(end_ns):
            self._span(event, start, end - start)
        for event, start, end, _ in self.asyncs.spans(end_ns):
            lane = Lane(text(event.pid), text(event.tid), label=text(event.cat) or "async")
            self.table.add(start, end - start, lane, "annotation", text(event.name))

    def _take(self, event: Event) -> None:
        if event.ph == "M":
            self._metadata(event)
        elif handle := self._by_phase.get(event.ph):
            ts_ns = to_ns(bytes(event.ts))
            if ts_ns is None:
                self.skipped[NO_TIME] += event.cat not in LAUNCH_FLOWS
            else:
                handle(event, ts_ns)
        elif event.ph:
            self.skipped[NOT_DRAWN] += 1

    def _complete(self, event: Event, ts_ns: int) -> None:
        dur = bytes(event.dur)
        dur_ns = to_ns(dur) if dur not in NO_VALUE else 0
        if dur_ns is None or dur_ns < 0:
            self.skipped[NO_TIME if dur_ns is None else NEGATIVE] += 1
            return
        self._span(event, ts_ns, dur_ns)

    def _span(self, event: Event, ts_ns: int, dur_ns: int) -> None:
        category, name = text(event.cat), text(event.name)
        key = (category, name, event.pid == LEGACY_GPU_PID)
        role = self._roles.get(key)
        if role is None:
            role = self._roles[key] = role_of(category, name, event.pid)
        self.is_profiler |= role.is_profiler
        if role.kind == MARKER:
            self.markers.append({"name": name, "ts_ns": ts_ns, "dur_ns": dur_ns})
            return
        self._end_ns = max(self._end_ns, ts_ns + dur_ns)
        if role.on_gpu or role.kind in ("launch", "sync", "runtime"):
            self._placed_span(event, role, ts_ns, dur_ns, name)
        else:
            args = b"" if role.is_profiler else bytes(event.args)
            correlation = number(gpu_args(event).correlation_id) if args else NONE
            lane = Lane(text(event.pid), text(event.tid))
            self.table.add(ts_ns, dur_ns, lane, role.kind, name, correlation, args)

    def _placed_span(self, event: Event, role: Role, ts_ns: int, dur_ns: int, name: str) -> None:
        """A GPU operation or an API call: with device, stream and correlation id."""
        args = gpu_args(event)
        if role.on_gpu and ts_ns == dur_ns == 0:  # what a full buffer leaves
            self.skipped[NO_TIME] += 1
            return
        lane = Lane(text(event.pid), text(event.tid))
        if role.on_gpu:
            is_annotation = role.kind == "annotation"
            lane = gpu_lane(event.pid, event.tid, args.device, args.stream, is_annotation)
        correlation = number(args.correlation, number(args.correlation_id))
        self._bulk.has_correlations |= correlation > 0 and not role.on_gpu
        own = kept_args(args) if role.is_profiler else bytes(event.args)
        self.table.add(ts_ns, dur_ns, lane, role.kind, name, correlation, own)

    def _nested(self, event: Event, ts_ns: int) -> None:
        _let_go(event)
        self.threads.add((event.pid, event.tid), ts_ns, event.ph == "B", event)

    def _async(self, event: Event, ts_ns: int) -> None:
        key = (event.pid, event.cat, event.id, bytes(event.id2))
        _let_go(event)
        self.asyncs.add(key, ts_ns, event.ph in "bS", event)

    def _instant(self, event: Event, ts_ns: int) -> None:
        name = text(event.name)
        if is_marker(name):
            self.markers.append({"name": name, "ts_ns": ts_ns, "dur_ns": 0})
            return
        self._end_ns = max(self._end_ns, ts_ns)
        lane = Lane(text(event.pid), text(event.tid))
        self.table.add(ts_ns, 0, lane, "instant", name, args=bytes(event.args))

    def _counter(self, event: Event, ts_ns: int) -> None:
        for series, value in (_args(event) or {}).items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                name = text(event.name)
                name = name if series in ("value", name) else f"{name} {series}"
                row = {"ts_ns": ts_ns, "track": text(event.pid), "name": name, "value": value}
                self.counters.append(row)

    def _flow(self, event: Event, ts_ns: int) -> None:
        to_next = event.ph != "s" and event.bp != "e"
        key = (event.cat, event.name, event.id)
        self.points.append(FlowPoint(key, text(event.pid), text(event.tid), ts_ns, to_next))

    def _metadata(self, event: Event) -> None:
        name = (_args(event) or {}).get("name")
        if not isinstance(name, str):
            return
        if event.name == "process_name":
            self.names.processes[text(event.pid)] = name.strip()
        elif event.name == "thread_name":
            self.names.threads[text(event.pid), text(event.tid)] = name.strip()


def _let_go(event: Event) -> None:
    """Let an event that waits for its end hold on to its own args, not to a piece of the file."""
    event.args = msgspec.Raw(bytes(event.args))
    event.ts = event.dur = event.id2 = msgspec.Raw()


def _args(event: Event) -> dict[str, Any] | None:
    """The args as a dict; None where there are none, or none that can be read."""
    raw = bytes(event.args)
    try:
        return _decode_args(raw) if raw not in NO_VALUE else None
    except (msgspec.DecodeError, RecursionError):
        return None
