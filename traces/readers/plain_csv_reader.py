"""Reads a plain table of spans: `name`, `start`, `duration` (or `end`) and `track`.

The header says the unit of each time: `start (us)`, `duration_ms`, `end [ns]`. A track called
like "GPU 0" or "GPU 1 stream 7" is a device's; a column `kind` with one of the schema's kinds
says what a span is, else its name does. Times are decimal numbers, read exactly.
"""

import re
from typing import NamedTuple

from traces.clock import LIMIT_NS, decimal
from traces.readers.assembly import LaneNames, assembled
from traces.readers.csv_rows import csv_rows, header_of
from traces.readers.kineto import host_kind
from traces.readers.source import Content
from traces.readers.span_table import Lane, SpanTable
from traces.readers.track_names import device_kind, device_of, stream_of
from traces.schema import GPU_KINDS, HOST, KINDS, Trace, TraceError

NS_PER_UNIT = {"s": 10**9, "ms": 10**6, "us": 10**3, "µs": 10**3, "μs": 10**3, "ns": 1}
UNITS = "|".join(NS_PER_UNIT)
COLUMN = re.compile(rf"(?P<word>[a-z]+)(?:[\s_]*+[(\[]?\s*+(?P<unit>{UNITS})\s*[)\]]?)?")
WORDS = {"begin": "start", "ts": "start", "dur": "duration", "lane": "track", "thread": "track"}
"""Other words for the columns."""

MAX_EXPONENT = 25

ADVICE = (
    "A CSV table of spans needs the columns name, start, duration (or end) and, if there are "
    "several, track, with the unit of the times in the header, as in `name,start_us,duration_us,"
    "track`"
)


def is_plain_csv(head: bytes) -> bool:
    """Whether a file that begins so is a table with a column of starts."""
    words = {_split(name)[0] for name in header_of(head)}
    return "name" in words and bool(words & {"start", "begin", "ts"})


def read_plain_csv(content: Content) -> Trace:
    """The trace of a table. Raises TraceError if a column or a unit is missing, or all rows."""
    columns = _columns(header_of(content.head))
    table = SpanTable()
    lost = 0
    for row in csv_rows(content):
        span = _times(row, columns) if row else None
        if not row or span is None:
            lost += 1
            continue
        lane = _lane(row.get(columns.track, ""))
        name = row.get(columns.name, "")
        kind = _kind(row.get(columns.kind, ""), name, lane.device)
        table.add(span[0], span[1] - span[0], lane, kind, name)
    told = f"{lost:,} rows without a usable time were skipped; busy time is a lower bound."
    meta = {
        "format": "CSV table of spans",
        "skipped": lost,
        "cut_off": bool(content.warnings),
        "warnings": [*content.warnings, *([told] if lost else [])],
        "file": {},
    }
    names = LaneNames({lane.pid: lane.pid for lane in table.lanes})
    return assembled(table, names, meta)


class Columns(NamedTuple):
    """The names of the columns, "" for those that are missing, and ns a unit of the times."""

    name: str
    track: str
    kind: str
    start: str
    start_unit: int
    length: str
    length_unit: int
    is_end: bool
    """Whether `length` is the end of the span."""


def _columns(header: list[str]) -> Columns:
    found: dict[str, tuple[str, str]] = {}
    for name in header:
        word, unit = _split(name)
        found.setdefault(WORDS.get(word, word), (name, unit))
    length = "duration" if "duration" in found else "end"
    missing = [word for word in ("name", "start", length) if word not in found]
    untold = [found[word][0] for word in ("start", length) if not found.get(word, ("", "ns"))[1]]
    if missing or untold:
        raise TraceError(
            f"{ADVICE}; this one lacks "
            + (f"a column {missing[0]}." if missing else f"the unit of {untold[0]}.")
        )
    start, end = found["start"], found[length]
    return Columns(
        name=found["name"][0],
        track=found.get("track", ("", ""))[0],
        kind=found.get("kind", ("", ""))[0],
        start=start[0],
        start_unit=NS_PER_UNIT[start[1]],
        length=end[0],
        length_unit=NS_PER_UNIT[end[1]],
        is_end=length == "end",
    )


def _split(column: str) -> tuple[str, str]:
    """A column's word and unit, both in lower case: "Start (us)" is ("start", "us")."""
    match = COLUMN.fullmatch(column.strip().lower())
    return (match["word"], match["unit"] or "") if match else ("", "")


def _times(row: dict[str, str], columns: Columns) -> tuple[int, int] | None:
    """Start and end in ns, or None where they are no times."""
    start = _ns(row.get(columns.start, ""), columns.start_unit)
    length = _ns(row.get(columns.length, ""), columns.length_unit)
    if start is None or length is None:
        return None
    end = length if columns.is_end else start + length
    return (start, end) if -LIMIT_NS < start <= end < LIMIT_NS else None


def _ns(text: str, ns_per_unit: int) -> int | None:
    value = decimal(text)
    if value is None or value.adjusted() > MAX_EXPONENT:
        return None
    return int((value * ns_per_unit).to_integral_value())


def _lane(track: str) -> Lane:
    device = device_of(track)
    return Lane(track or "spans", "") if device == HOST else Lane("", "", device, stream_of(track))


def _kind(given: str, name: str, device: int) -> str:
    """The kind that the table gives, where it fits the track; else by the name."""
    if given in KINDS and (given in GPU_KINDS) <= (device != HOST):
        return given
    return host_kind(name) if device == HOST else device_kind(name)
