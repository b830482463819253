"""From a Chrome or profiler file to a `Trace`: reads the events, draws the flow edges, and
writes down where the file came from and what was lost on the way.
"""

from typing import Any

import pandas as pd

from traces.assembly import assembled
from traces.chrome_reader import NEGATIVE, NO_TIME, ChromeReader, skip_sentences
from traces.chrome_text import ChromeText
from traces.flow_binding import bound_flows, correlation_flows
from traces.kineto import number
from traces.schema import Trace

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

EPOCH_NS = 10**18
"""A clock that stands above this (2001) counts from 1970."""


def chrome_trace(chrome: ChromeText, warnings: list[str]) -> Trace:
    """Read all events of `chrome`. Raises TraceError if there is nothing to draw."""
    reader = ChromeReader()
    reader.read(chrome)
    keys = chrome.header | chrome.tail
    counters = [row | {"track": reader.names.process(row["track"])} for row in reader.counters]
    meta = _meta(chrome, keys, reader, warnings)
    trace = assembled(reader.table, reader.names, meta, counters, _unix_ns(keys))
    shift = trace.meta["clock_start_ns"]
    if shift > EPOCH_NS:
        trace.meta.setdefault("unix_start_ns", shift)
    markers = [row | {"ts_ns": row["ts_ns"] - shift} for row in reader.markers]
    trace.meta["profiler_markers"] = markers
    trace.flows = _flows(reader, trace.spans, shift)
    return trace


def _unix_ns(keys: dict[str, Any]) -> int | None:
    """The wall time of 0, which Kineto, Proton and VizTracer write under the same key."""
    viztracer = keys.get("viztracer_metadata")
    base = keys | (viztracer if isinstance(viztracer, dict) else {})
    value = base.get("baseTimeNanoseconds")
    return number(value) if isinstance(value, int | str) else None


def _flows(reader: ChromeReader, spans: pd.DataFrame, shift: int) -> pd.DataFrame:
    """Launches by correlation id where there are any, then all other arrows."""
    points = [point._replace(ts_ns=point.ts_ns - shift) for point in reader.points]
    return pd.concat([correlation_flows(spans), bound_flows(points, spans)], ignore_index=True)


def _meta(
    chrome: ChromeText, keys: dict[str, Any], reader: ChromeReader, warnings: list[str]
) -> dict[str, Any]:
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
        "skipped": chrome.damaged + lost + sum(reader.skipped[r] for r in (NO_TIME, NEGATIVE)),
        "cut_off": bool(chrome.cut_off or warnings),
        "warnings": warnings + told + skip_sentences(reader.skipped.items()),
        "file": {key: keys[key] for key in KEPT_KEYS if key in keys},
    }


def _generic_format(keys: dict[str, Any]) -> str:
    return "VizTracer" if "viztracer_metadata" in keys else "Chrome trace"
