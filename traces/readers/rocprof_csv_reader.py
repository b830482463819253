"""Reads a CSV table of rocprofv3: kernels, memory copies, or calls of one API.

A run leaves one table a kind; opened together they share one clock and their correlation ids.
"""

import re
from collections.abc import Iterator

from traces.readers.csv_rows import csv_rows, header_of
from traces.readers.kineto import number
from traces.readers.rocprof_records import (
    Record,
    api_record_kind,
    copy_record,
    correlation_id,
    rocprof_trace,
)
from traces.readers.source import Content
from traces.schema import NONE, Trace

TIMES = ("Start_Timestamp", "End_Timestamp")
NO_TIME = (0, 0)
WHOLE_NUMBER = re.compile(r"[0-9]{1,19}")


def is_rocprof_csv(head: bytes) -> bool:
    """Whether a file that begins so is one of rocprofv3's tables."""
    return set(TIMES) <= set(header_of(head))


def read_rocprof_csv(content: Content) -> Trace:
    """The trace of one table. Raises TraceError if it has no rows."""
    trace = rocprof_trace(_records(content), "rocprofv3 (CSV)", content.warnings)
    trace.meta["is_part"] = True
    return trace


def _records(content: Content) -> Iterator[Record]:
    for row in csv_rows(content):
        if row is not None:
            yield _record(row)
        else:
            yield Record("runtime", "", *NO_TIME)


def _record(row: dict[str, str]) -> Record:
    told = [row.get(name, "") for name in TIMES]
    times = (int(told[0]), int(told[1])) if all(map(WHOLE_NUMBER.fullmatch, told)) else NO_TIME
    correlation = correlation_id(row.get("Correlation_Id"))
    place = (row.get("Process_Id", ""), row.get("Thread_Id", ""))
    stream = number(row.get("Stream_Id") or row.get("Queue_Id"))
    if "Kernel_Name" in row:
        device = max(number(row.get("Agent_Id"), 0), 0)
        return Record("kernel", row["Kernel_Name"], *times, correlation, *place, device, stream)
    if "Direction" in row:
        ends = (row.get("Source_Agent_Id"), row.get("Destination_Agent_Id"))
        source, target = (max(number(agent, 0), 0) for agent in ends)
        kind, name, device = copy_record(row["Direction"], source, target)
        return Record(kind, name, *times, correlation, *place, device, stream)
    name = row.get("Function") or row.get("Operation") or row.get("Kind", "")
    kind = api_record_kind(row.get("Domain") or row.get("Kind", ""), name)
    return Record(kind, name, *times, correlation, *place, stream=NONE)
