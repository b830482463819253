"""What rocprofv3 records, whichever format it was written in, and the trace of it.

Times are integer ns on the host's monotonic clock. A GPU's work is bound to the call behind it
by the correlation id.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from traces.clock import LIMIT_NS
from traces.readers.assembly import LaneNames, assembled
from traces.readers.correlation import correlation_flows, processes
from traces.readers.kineto import call_kind, number
from traces.readers.span_table import Lane, SpanTable
from traces.schema import HOST, NONE, Trace

DIRECTION = re.compile(r"(HOST|DEVICE)_TO_(HOST|DEVICE)", re.IGNORECASE)
COPY_KINDS = {("HOST", "DEVICE"): "h2d", ("DEVICE", "HOST"): "d2h", ("DEVICE", "DEVICE"): "copy"}


class Record(NamedTuple):
    """One record: `kind` as in the schema; `device` HOST for calls and markers."""

    kind: str
    name: str
    start_ns: int
    end_ns: int
    correlation: int = NONE
    pid: str = ""
    tid: str = ""
    device: int = HOST
    stream: int = NONE
    bytes: int | None = None


def copy_record(direction: str, source: int, target: int) -> tuple[str, str, int]:
    """Kind, name and device of a copy between two agents; a copy within the host is a call."""
    match = DIRECTION.search(direction)
    ends = (match[1].upper(), match[2].upper()) if match else ("DEVICE", "DEVICE")
    name = f"Memcpy {ends[0][0]}to{ends[1][0]}"
    if ends == ("HOST", "HOST"):
        return "runtime", name, HOST
    return COPY_KINDS[ends], name, target if ends[1] == "DEVICE" else source


def api_record_kind(domain: str, name: str) -> str:
    """The span kind of a call by its domain (`HIP_API`, `MARKER_API`, ...) and name."""
    return "annotation" if domain.startswith("MARKER") else call_kind(name)


def rocprof_trace(
    records: Iterable[Record], format_name: str, warnings: list[str], lost: int = 0
) -> Trace:
    """The trace of all records; those without a usable time are counted with the `lost`."""
    table = SpanTable()
    for record in records:
        start, end = record.start_ns, record.end_ns
        if not -LIMIT_NS < start <= end < LIMIT_NS or start == end == 0:
            lost += 1
            continue
        label = "copies" if record.device != HOST and record.stream == NONE else ""
        lane = Lane(record.pid, record.tid, record.device, record.stream, label)
        if record.device != HOST:
            lane = lane._replace(tid=str(record.stream))
        args = None if record.bytes is None else {"bytes": record.bytes}
        table.add(start, end - start, lane, record.kind, record.name, record.correlation, args)
    told = f"{lost:,} records without a usable time were skipped; busy time is a lower bound."
    meta = {
        "format": format_name,
        "skipped": lost,
        "cut_off": bool(warnings),
        "warnings": [*warnings, *([told] if lost else [])],
        "file": {},
    }
    trace = assembled(table, LaneNames(), meta)
    trace.flows = correlation_flows(trace.spans, processes(trace.spans))
    return trace


def correlation_id(value: object) -> int:
    """A correlation id; 0 is none."""
    return number(value if isinstance(value, str | int) else None) or NONE
