"""NVTX ranges and marks of an Nsight Systems export.

A range that PyTorch's `emit_nvtx` pushed is an operator like those of its own profiler; every
other range says what somebody wanted to see, and is no work of its own.
"""

import re
from collections.abc import Mapping
from typing import Any

from traces.clock import LIMIT_NS
from traces.readers.span_table import Lane, SpanTable
from traces.readers.sqlite_tables import Tables
from traces.schema import NONE

TABLE = re.compile(r"NVTX_EVENTS(_V\d+)?")
KINDS = {"NvtxPushPopRange": 59, "NvtxStartEndRange": 60, "NvtxMark": 34}
"""Event types, with the numbers they have where the file has no table of them."""

OPERATOR = re.compile(r"([^,]+), (?:seq = \d+, )?op_id = \d+")


def nvtx_ranges(tables: Tables, strings: Mapping[Any, Any], spans: SpanTable) -> int:
    """Add all ranges and marks to `spans`; returns how many never end."""
    numbers = {name: number for number, name in tables.rows("ENUM_NSYS_EVENT_TYPE", "id", "name")}
    kind_of = {numbers.get(name, number): name for name, number in KINDS.items()}
    columns = ("start", "end", "eventType", "text", "textId", "globalTid")
    still_open = []
    latest = 0
    for table in filter(TABLE.fullmatch, sorted(tables.columns)):
        for start, end, kind, own_text, text_id, thread in tables.rows(table, *columns):
            if kind not in kind_of or not isinstance(start, int) or abs(start) > LIMIT_NS:
                continue
            name = str(own_text or strings.get(text_id) or "range")
            row = (start, kind_of[kind], name, thread)
            if end is None and kind_of[kind] != "NvtxMark":
                still_open.append(row)
                continue
            end = end if isinstance(end, int) and start <= end <= LIMIT_NS else start
            latest = max(latest, end)
            _add(spans, *row, end)
    for row in still_open:
        _add(spans, *row, max(latest, row[0]))
    return len(still_open)


def _add(spans: SpanTable, start: int, kind: str, text: str, thread: object, end: int) -> None:
    lane = thread_lane(thread)
    operator = OPERATOR.match(text)
    if kind == "NvtxMark":
        spans.add(start, 0, lane, "instant", text)
    elif kind == "NvtxStartEndRange":  # may end in another thread
        spans.add(start, end - start, lane._replace(label="ranges"), "annotation", text)
    elif operator:
        spans.add(start, end - start, lane, "op", operator[1])
    else:
        spans.add(start, end - start, lane, "annotation", text)


def process_of(global_id: object) -> int:
    """The process of a serialised global process or thread id; NONE where there is none."""
    return (global_id >> 24) & 0xFFFFFF if isinstance(global_id, int) else NONE


def thread_lane(global_id: object) -> Lane:
    """The lane of a serialised global thread id."""
    tid = global_id & 0xFFFFFF if isinstance(global_id, int) else NONE
    return Lane(str(process_of(global_id)), str(tid))
