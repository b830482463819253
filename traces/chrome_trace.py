"""The last step of reading a Chrome or profiler file: collected events to a `Trace`.

Gives every lane its label, shifts the clock to the first span, draws the flow edges and
writes down where the file came from and what was lost on the way.
"""

from typing import Any

import numpy as np
import pandas as pd

from traces.chrome_reader import NEGATIVE, NO_TIME, ChromeReader, skip_sentences
from traces.chrome_text import ChromeText
from traces.flow_binding import bound_flows, correlation_flows
from traces.refusals import NO_EVENTS
from traces.schema import HOST, NONE, Trace, TraceError
from traces.span_table import Lane

KEPT_KEYS = (
    "schemaVersion",
    "baseTimeNanoseconds",
    "deviceProperties",
    "distributedInfo",
    "traceName",
    "trace_id",
    "with_stack",
    "record_shapes",
    "profile_memory",
)
"""Keys around the events that say where a trace comes from."""


def chrome_trace(chrome: ChromeText, warnings: list[str]) -> Trace:
    """Read all events of `chrome`. Raises TraceError if there is nothing to draw."""
    reader = ChromeReader()
    reader.read(chrome)
    columns = reader.table.columns()
    if not len(columns["ts_ns"]) and not reader.counters:
        raise TraceError(NO_EVENTS)
    shift = _first_ns(columns["ts_ns"], reader.counters)
    lanes = columns.pop("lane")
    shifted = columns | {"ts_ns": columns["ts_ns"] - shift}
    trace = Trace.from_rows(
        shifted | _lane_columns(list(reader.table.lanes), lanes, reader.names),
        counters=[
            row | {"ts_ns": row["ts_ns"] - shift, "track": _process(row["track"], reader.names)}
            for row in reader.counters
        ],
        meta=_meta(chrome, reader, warnings, shift),
    )
    trace.flows = _flows(reader, trace.spans, shift)
    return trace


def _first_ns(starts: np.ndarray, counters: list[dict[str, Any]]) -> int:
    return int(starts.min()) if len(starts) else min(row["ts_ns"] for row in counters)


def _lane_columns(
    lanes: list[Lane], numbers: np.ndarray, names: dict[tuple[str, str, str], str]
) -> dict[str, np.ndarray]:
    """Track, pid, tid, device and stream of each span from its lane number."""
    per_lane: dict[str, list[Any]] = {
        "track": [_track(lane, names) for lane in lanes],
        "pid": [lane.pid for lane in lanes],
        "tid": [lane.tid for lane in lanes],
        "device": [lane.device for lane in lanes],
        "stream": [lane.stream for lane in lanes],
    }
    integers = ("device", "stream")
    return {
        name: np.array(values, dtype=np.int64 if name in integers else object)[numbers]
        for name, values in per_lane.items()
    }


def _track(lane: Lane, names: dict[tuple[str, str, str], str]) -> str:
    """The label of a lane: "GPU 0 · stream 7", "python · thread 123"."""
    if lane.device != HOST:
        stream = f" · stream {lane.stream}" if lane.stream != NONE else ""
        return f"GPU {lane.device}{stream}" + (f" · {lane.label}" if lane.label else "")
    process = _process(lane.pid, names)
    if lane.label:
        return f"{process} · {lane.label}"
    thread = names.get(("thread_name", lane.pid, lane.tid), "")
    has_number = lane.tid and lane.tid in thread
    label = thread if has_number else f"{thread} {lane.tid}" if thread else f"thread {lane.tid}"
    return f"{process} · {label}"


def _process(pid: str, names: dict[tuple[str, str, str], str]) -> str:
    return names.get(("process_name", pid, "")) or (f"process {pid}" if pid else "process")


def _flows(reader: ChromeReader, spans: pd.DataFrame, shift: int) -> pd.DataFrame:
    """Launches by correlation id where there are any, then all other arrows."""
    points = [point._replace(ts_ns=point.ts_ns - shift) for point in reader.points]
    return pd.concat([correlation_flows(spans), bound_flows(points, spans)], ignore_index=True)


def _meta(
    chrome: ChromeText, reader: ChromeReader, warnings: list[str], shift: int
) -> dict[str, Any]:
    keys = chrome.header | chrome.tail
    lost = reader.threads.stray_ends + reader.asyncs.stray_ends
    unclosed = reader.threads.unclosed + reader.asyncs.unclosed
    sentences = [
        (
            chrome.cut_off and not warnings,
            "The file was cut off; the events before the cut are shown.",
        ),
        (chrome.damaged, f"{chrome.damaged:,} damaged events were skipped."),
        (chrome.repaired, f"{chrome.repaired:,} events with invalid characters were repaired."),
        (lost, f"{lost:,} end events without a beginning were skipped."),
        (unclosed, f"{unclosed:,} spans never end; they are drawn to the end of the trace."),
    ]
    told = [sentence for count, sentence in sentences if count]
    is_kineto = reader.is_profiler or "schemaVersion" in keys
    return {
        "format": "PyTorch profiler (Kineto)" if is_kineto else _generic_format(keys),
        "clock_start_ns": shift,
        "skipped": chrome.damaged + lost + sum(reader.skipped[r] for r in (NO_TIME, NEGATIVE)),
        "cut_off": bool(chrome.cut_off or warnings),
        "warnings": warnings + told + skip_sentences(reader.skipped.items()),
        "profiler_markers": [row | {"ts_ns": row["ts_ns"] - shift} for row in reader.markers],
        "file": {key: keys[key] for key in KEPT_KEYS if key in keys},
    }


def _generic_format(keys: dict[str, Any]) -> str:
    return "VizTracer" if "viztracer_metadata" in keys else "Chrome trace"
