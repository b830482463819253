"""Reads Perfetto's own format (`.pftrace`): the track events of a protobuf trace.

Only the message classes of the `perfetto` package are used; its trace processor, which fetches
a program from the net, is not. What a phone records beside track events (scheduling, frames,
power) is left out and counted. Times are ns. See https://perfetto.dev/docs/reference/synthetic-track-event.
"""

import zlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from traces.clock import LIMIT_NS
from traces.readers.assembly import Counters, assembled
from traces.readers.correlation import correlation_flows, processes
from traces.readers.pairing import Pairing
from traces.readers.perfetto_clock import Clocks
from traces.readers.perfetto_sequence import Sequence
from traces.readers.perfetto_tracks import Slice, Tracks
from traces.readers.protobuf_wire import PACKET_TAG, field_numbers, packets, varint
from traces.readers.refusals import is_text
from traces.readers.source import CHUNK, Bytes, Content, check_size
from traces.readers.span_table import SpanTable
from traces.schema import Trace

XLA_FIELDS = range(1, 7)
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
"""Values of TrackEvent.Type."""


def is_perfetto(head: bytes) -> bool:
    """Whether a file that begins so is a list of trace packets: an XLA profile, which is a list
    of planes, has no fields but its first six."""
    if head[:1] != bytes([PACKET_TAG]) or is_text(head):  # the tag is also a line feed
        return False
    try:
        length, start = varint(head, 1)
    except ValueError:
        return False
    return any(number not in XLA_FIELDS for number in field_numbers(head[start : start + length]))


def read_perfetto(content: Content) -> Trace:
    """The trace of a file, up to where it is cut off. Raises TraceError if it has no events."""
    reader = PerfettoReader(content.max_bytes)
    reader.read(content)
    return reader.trace(content.warnings)


class PerfettoReader:
    """Collects the track events of one file; its packed packets hold at most `max_bytes`, and so
    do the args of its spans, of which many may share a text."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._tracks = Tracks()
        self._clocks = Clocks()
        self._sequences: dict[int, Sequence] = {}
        self._slices: Pairing[int, Slice] = Pairing()
        self._complete: list[tuple[int, int, int, Slice]] = []
        self._instants: list[tuple[int, int, Slice]] = []
        self._counters: list[tuple[int, int, float]] = []
        self._lost: Counter[str] = Counter()
        self._cut_off = False
        self._unpacked = 0

    def read(self, content: Content) -> None:
        """Take in every packet."""
        told = at = 0
        for packet in self._packets(content.data):
            self._take(packet)
            at += packet.ByteSize()  # without the tag and the length before it
            if at - told >= CHUNK:
                content.read_up_to(told := at)
            for inner in self._packets(self._inflated(packet.compressed_packets)):
                self._take(inner)

    def _packets(self, data: Bytes) -> Iterator[Any]:
        # The module takes a tenth of a second to load, so it is loaded for such a file only.
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2

        try:
            for raw in packets(data):
                packet = perfetto_trace_pb2.TracePacket()
                try:
                    packet.ParseFromString(raw)
                except DecodeError:
                    self._lost["damaged"] += 1
                else:
                    yield packet
        except ValueError:
            self._cut_off = True

    def _inflated(self, packed: bytes) -> bytes:
        """The packets in a compressed one, as far as it is whole. Raises TraceError as soon as
        they hold more in all than a file may."""
        if not packed:
            return b""
        inflater = zlib.decompressobj()
        pieces: list[bytes] = []
        try:
            while not inflater.eof:
                piece = inflater.decompress(packed, CHUNK)
                packed = inflater.unconsumed_tail
                if not piece and not packed:
                    self._lost["damaged"] += 1  # it is cut off
                    break
                self._unpacked += len(piece)
                check_size(self._unpacked, self._max_bytes)
                pieces.append(piece)
        except zlib.error:
            self._lost["damaged"] += 1
        return b"".join(pieces)

    def _take(self, packet: Any) -> None:  # noqa: ANN401 - a protobuf message
        number = packet.trusted_packet_sequence_id
        sequence = self._sequences.setdefault(number, Sequence())
        sequence.take(packet)
        if packet.HasField("clock_snapshot"):
            self._clocks.take(number, packet.clock_snapshot)
        if packet.HasField("track_descriptor"):
            self._tracks.take(packet.track_descriptor)
        if packet.HasField("track_event"):
            clock = packet.timestamp_clock_id or sequence.clock_id
            ts_ns = self._clocks.to_trace_ns(number, clock, packet.timestamp)
            if ts_ns is None or not -LIMIT_NS < ts_ns < LIMIT_NS:
                self._lost["time"] += 1
            else:
                self._event(packet.track_event, sequence, ts_ns)

    def _event(self, event: Any, sequence: Sequence, ts_ns: int) -> None:  # noqa: ANN401
        uuid = event.track_uuid if event.HasField("track_uuid") else sequence.track_uuid
        if event.type in (BEGIN, END):
            said = sequence.slice(event) if event.type == BEGIN else Slice(None)
            self._slices.add(uuid, ts_ns, event.type == BEGIN, said)
        elif event.type == INSTANT:
            self._instants.append((uuid, ts_ns, sequence.slice(event)))
        elif event.type == COUNTER:
            value = event.double_counter_value or event.counter_value
            self._counters.append((uuid, ts_ns, float(value)))
        elif event.HasField("legacy_event") and chr(event.legacy_event.phase & 0x7F) == "X":
            end_ns = ts_ns + max(event.legacy_event.duration_us * 1000, 0)
            if end_ns < LIMIT_NS:
                self._complete.append((uuid, ts_ns, end_ns, sequence.slice(event)))
            else:
                self._lost["time"] += 1
        else:
            self._lost["kind"] += 1

    def trace(self, warnings: list[str]) -> Trace:
        """The trace of all that was read."""
        table = SpanTable(self._max_bytes)
        marks = [ts for _, ts, _ in self._instants] + [end for _, _, end, _ in self._complete]
        latest = max([*marks, self._slices.latest_ns() or 0])
        slices = [(uuid, a, b, said) for said, a, b, uuid in self._slices.spans(latest)]
        for uuid, start, end, said in slices + self._complete:
            lane, kind, correlation = self._tracks.place(uuid, said)
            args = dict(said.args) or None
            table.add(start, end - start, lane, kind, said.name or "", correlation, args)
        for uuid, ts, said in self._instants:
            lane, _, correlation = self._tracks.place(uuid, said)
            args = dict(said.args) or None
            table.add(ts, 0, lane, "instant", said.name or "", correlation, args)
        meta = self._meta(warnings)
        unix_ns = self._clocks.unix_ns
        trace = assembled(table, self._tracks.names, meta, self._counter_columns(), unix_ns)
        trace.flows = correlation_flows(trace.spans, processes(trace.spans))
        return trace

    def _counter_columns(self) -> Counters:
        named = {uuid: self._counter_name(uuid) for uuid, _, _ in self._counters}
        rows = [named[uuid] for uuid, _, _ in self._counters]
        return {
            "ts_ns": np.array([ts for _, ts, _ in self._counters], dtype=np.int64),
            "track": np.array([track for track, _ in rows], dtype=object),
            "name": np.array([name for _, name in rows], dtype=object),
            "value": np.array([value for _, _, value in self._counters], dtype=np.float64),
        }

    def _counter_name(self, uuid: int) -> tuple[str, str]:
        """What a counter's process is called, and the counter."""
        path = self._tracks.path(uuid)
        pid = next((track.pid for track in path if track.pid), "")
        return self._tracks.names.process(pid), path[0].name

    def _meta(self, warnings: list[str]) -> dict[str, Any]:
        cut_off = self._cut_off and not warnings
        lost, unclosed, strays = self._lost, self._slices.unclosed, self._slices.stray_ends
        sentences = [
            (cut_off, "The file was cut off; the packets before the cut are shown."),
            (lost["damaged"], f"{lost['damaged']:,} damaged packets were skipped."),
            (lost["time"], f"{lost['time']:,} events without a usable time were skipped."),
            (lost["kind"], f"{lost['kind']:,} events of kinds that no timeline shows were left "
             "out."),
            (strays, f"{strays:,} end events without a beginning were skipped."),
            (unclosed, f"{unclosed:,} spans never end; they are drawn to the end of the trace."),
        ]  # fmt: skip
        return {
            "format": "Perfetto",
            "skipped": lost["damaged"] + lost["time"] + strays,
            "cut_off": bool(self._cut_off or warnings),
            "warnings": [*warnings, *(sentence for is_so, sentence in sentences if is_so)],
            "file": {},
        }
