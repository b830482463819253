"""From a Chrome or profiler file to a `Trace`: reads the events, draws the flow edges, and
writes down where the file came from and what was lost on the way.
"""

import re
from typing import Any

import pandas as pd

from traces.readers.assembly import assembled
from traces.readers.chrome_notes import damage, lost_by_the_writer, overlaps, salvage, shared_ids
from traces.readers.chrome_reader import NEGATIVE, NO_TIME, ChromeReader
from traces.readers.chrome_text import ChromeText
from traces.readers.correlation import UNKNOWN, correlation_flows, processes
from traces.readers.event_edges import event_flows
from traces.readers.flow_binding import bound_flows
from traces.readers.kineto import number
from traces.readers.launch_arrows import processes_of
from traces.readers.xla_lanes import place_device_lanes
from traces.schema import Trace
from traces.unpaired import unpaired

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

RANK = re.compile(r"\[[^\[\]]*\]")
"""What SGLang puts before a process id when it merges the files of several ranks."""

EPOCH_NS = 10**18
"""A clock that stands above this (2001) counts from 1970."""


def chrome_trace(chrome: ChromeText, warnings: list[str]) -> Trace:
    """Read all events of `chrome`. Raises TraceError if there is nothing to draw."""
    reader = ChromeReader(chrome.max_bytes)
    reader.read(chrome)
    is_xla = place_device_lanes(reader.table, reader.names)
    keys = chrome.header | chrome.tail
    counters = reader.counters.columns(reader.names.process)
    meta = _meta(chrome, keys, reader, warnings, is_xla)
    trace = assembled(reader.table, reader.names, meta, counters, _unix_ns(keys))
    shift = trace.meta["clock_start_ns"]
    if shift > EPOCH_NS:
        trace.meta.setdefault("unix_start_ns", shift)
    markers = [row | {"ts_ns": row["ts_ns"] - shift} for row in reader.bulk.markers]
    trace.meta["profiler_markers"] = markers
    trace.meta["warnings"] += overlaps(trace.spans)
    is_of_ranks = any(RANK.match(lane.pid) for lane in reader.table.lanes)
    process = _ranks(trace.spans) if is_of_ranks else processes(trace.spans)
    trace.flows = _flows(reader, trace.spans, shift, process)
    if not is_of_ranks and len(unpaired(trace).unclear):
        trace.flows = _flows(reader, trace.spans, shift, processes_of(trace.spans, chrome, shift))
        trace.meta["warnings"] += shared_ids(len(unpaired(trace).unclear))
    return trace


def _unix_ns(keys: dict[str, Any]) -> int | None:
    """The wall time of 0, which Kineto, Proton and VizTracer write under the same key."""
    viztracer = keys.get("viztracer_metadata")
    base = keys | (viztracer if isinstance(viztracer, dict) else {})
    value = base.get("baseTimeNanoseconds")
    return number(value) if isinstance(value, int | str) else None


def _ranks(spans: pd.DataFrame) -> "pd.Series[str]":
    """Whose each span is where SGLang merged ranks into one file."""
    return spans["pid"].astype(object).str.extract(f"({RANK.pattern})")[0].fillna(UNKNOWN)


def _flows(
    reader: ChromeReader, spans: pd.DataFrame, shift: int, process: "pd.Series[str]"
) -> pd.DataFrame:
    """Launches by correlation id where there are any, recorded waits of one stream for another,
    then all other arrows. `process` says whose each span is, where that is known."""
    points = [point._replace(ts_ns=point.ts_ns - shift) for point in reader.points]
    launches = correlation_flows(spans, process)
    waits = event_flows(spans, launches)
    return pd.concat([launches, waits, bound_flows(points, spans)], ignore_index=True)


def _meta(
    chrome: ChromeText,
    keys: dict[str, Any],
    reader: ChromeReader,
    warnings: list[str],
    is_xla: bool,
) -> dict[str, Any]:
    strays = reader.nests.stray_ends
    is_kineto = reader.bulk.is_profiler or "schemaVersion" in keys
    told = damage(chrome, reader, warnings) + lost_by_the_writer(keys, is_xla, chrome.kept)
    return {
        "format": "PyTorch profiler (Kineto)" if is_kineto else _generic_format(keys, is_xla),
        "skipped": chrome.damaged + strays + sum(reader.skipped[r] for r in (NO_TIME, NEGATIVE)),
        "cut_off": bool(chrome.cut_off or warnings),
        "warnings": warnings + told,
        "salvage": salvage(chrome),
        "file": {key: keys[key] for key in KEPT_KEYS if key in keys},
    }


def _generic_format(keys: dict[str, Any], is_xla: bool) -> str:
    if "viztracer_metadata" in keys:
        return "VizTracer"
    return "JAX/XLA profiler" if is_xla else "Chrome trace"
