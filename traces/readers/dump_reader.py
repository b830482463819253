"""Reads back what `chrome_writer` wrote, without loss."""

from typing import Annotated, Any

import msgspec

from traces.chrome_writer import ID_COLUMNS, KEY
from traces.clock import LIMIT_NS, to_ns
from traces.readers.chrome_text import ChromeText
from traces.readers.event_repair import Event
from traces.schema import KINDS, NONE, Trace

Int64 = Annotated[int, msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)]
Time = Annotated[int, msgspec.Meta(gt=-LIMIT_NS, lt=LIMIT_NS)]

META_TYPES: dict[str, Any] = {
    "format": str,
    "name": str,
    "skipped": Annotated[int, msgspec.Meta(ge=0)],
    "warnings": list[str],
    "cut_off": bool,
    "is_part": bool,
    "file": dict[str, Any],
    "clock_start_ns": Time,
    "unix_start_ns": Time,
}
"""What every reader writes into `meta`, and others rely on; the rest is free."""


class DumpHeader(msgspec.Struct):
    """The part of a dump under our own key."""

    version: int
    meta: dict[str, Any]
    lanes: list[tuple[int, int, Int64, str, str, str]]


class DumpArgs(msgspec.Struct):
    """The args of an event of a dump."""

    stream: Int64 = NONE
    step: Int64 = NONE
    slot: Int64 = NONE
    correlation: Int64 = NONE
    args: dict[str, Any] | None = None
    span: Int64 = NONE
    value: float | None = None


_decode_args = msgspec.json.Decoder(DumpArgs).decode


def dump_header(chrome: ChromeText) -> DumpHeader | None:
    """Our header, or None where the file is no dump of ours."""
    try:
        header = msgspec.convert(chrome.header.get(KEY), DumpHeader)
    except msgspec.ValidationError:
        return None
    header.meta = {
        key: value for key, value in header.meta.items() if _fits(value, META_TYPES.get(key, Any))
    }
    return header


class DumpReader:
    """Collects the events of one dump."""

    def __init__(self, header: DumpHeader) -> None:
        self._header = header
        self._lanes: dict[tuple[Any, Any], dict[str, Any]] = {
            (process, thread): {"device": device, "pid": pid, "tid": tid, "track": track}
            for process, thread, device, pid, tid, track in header.lanes
        }
        self._spans: list[dict[str, Any]] = []
        self._counters: list[dict[str, Any]] = []
        self._flows: dict[Any, dict[str, Any]] = {}
        self._lost = 0

    def read(self, chrome: ChromeText, warnings: list[str]) -> Trace:
        """The trace as it was written; what a damaged file lost is told in its meta."""
        for events in chrome:
            for event in events:
                self._take(event)
        return self._trace(chrome, warnings)

    def _take(self, event: Event) -> None:
        if event.ph in ("X", "i"):
            self._span(event)
        elif event.ph in ("s", "f"):
            end = "src" if event.ph == "s" else "dst"
            flow = self._flows.setdefault(event.id, {"kind": str(event.name)})
            flow[end] = _args(event).span
        elif event.ph == "C" and (value := _args(event).value) is not None:
            row = {"track": str(event.cat), "name": str(event.name), "value": value}
            self._counters.append(row | {"ts_ns": to_ns(bytes(event.ts)) or 0})

    def _span(self, event: Event) -> None:
        lane = self._lanes.get((event.pid, event.tid))
        ts_ns, dur_ns = to_ns(bytes(event.ts)), to_ns(bytes(event.dur) or b"0")
        if lane is None or ts_ns is None or dur_ns is None or dur_ns < 0 or event.cat not in KINDS:
            self._lost += 1
            return
        args = _args(event)
        row = {name: getattr(args, name) for name in (*ID_COLUMNS, "args")}
        own = {"ts_ns": ts_ns, "dur_ns": dur_ns, "kind": event.cat, "name": str(event.name)}
        self._spans.append(lane | own | row)

    def _trace(self, chrome: ChromeText, warnings: list[str]) -> Trace:
        lost = self._lost + chrome.damaged
        told = [*warnings]
        if lost:
            told.append(f"{lost:,} damaged events were skipped, and all flow edges with them.")
        if chrome.cut_off and not warnings:
            told.append("The file was cut off; the events before the cut are shown.")
        known = range(len(self._spans))
        flows = [
            flow
            for flow in self._flows.values()
            if not lost and flow.get("src") in known and flow.get("dst") in known
        ]
        meta = self._header.meta | ({"skipped": lost, "warnings": told} if told else {})
        if chrome.cut_off or warnings:
            meta["cut_off"] = True
        return Trace.from_rows(self._spans, flows, self._counters, meta)


def _fits(value: object, wanted: Any) -> bool:  # noqa: ANN401 - a type for msgspec
    try:
        msgspec.convert(value, wanted)
    except msgspec.ValidationError:
        return False
    return True


def _args(event: Event) -> DumpArgs:
    raw = bytes(event.args)
    try:
        return _decode_args(raw) if raw else DumpArgs()
    except (msgspec.DecodeError, RecursionError):
        return DumpArgs()
