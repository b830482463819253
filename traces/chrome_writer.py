"""Writes a trace as Chrome Trace Event JSON: Perfetto opens it, and we read it back whole.

One process for the host and one a GPU, a thread a track, µs with decimals, arrows for
flows. What the format has no place for (our metadata, the original ids of the lanes)
stands under the top-level key "overlapLab". The same trace gives the same bytes.
"""

import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from traces.clock import to_us
from traces.output import write_whole
from traces.schema import HOST, NONE, Trace

KEY = "overlapLab"
VERSION = 1
HOST_PROCESS = 1
ID_COLUMNS = ("stream", "step", "slot", "correlation")

LaneKey = tuple[int, str, str, str]
"""(device, pid, tid, track)"""


def write_trace(trace: Trace, path: str | Path) -> None:
    """Write `trace` to a file, compressed if its name ends in .gz. Raises as `trace_bytes`."""
    write_whole(path, trace_bytes(trace, compressed=str(path).endswith(".gz")))


def trace_bytes(trace: Trace, compressed: bool = True) -> bytes:
    """The file as bytes, gzip or plain.

    Counter values that are not finite are written as null and are lost. Raises TypeError
    where args or metadata hold what JSON cannot.
    """
    lanes = _number_lanes(trace)
    document = {
        KEY: {
            "version": VERSION,
            "meta": trace.meta,
            "lanes": [[*place, *key] for key, place in lanes.items()],
        },
        "displayTimeUnit": "ms",
        "traceEvents": [
            *_lane_names(lanes),
            *_span_events(trace, lanes),
            *_flow_events(trace, lanes),
            *_counter_events(trace),
        ],
    }
    text = msgspec.json.encode(document)
    return _gzipped(text) if compressed else text


def _gzipped(text: bytes) -> bytes:
    """gzip without time or name, so that the bytes depend on the text alone."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=buffer, mode="wb", compresslevel=6, mtime=0) as file:
        file.write(text)
    return buffer.getvalue()


def _us(ns: int) -> msgspec.Raw:
    return msgspec.Raw(to_us(ns))


def _number_lanes(trace: Trace) -> dict[LaneKey, tuple[int, int]]:
    """(process, thread) numbers of every lane: host first, then GPUs by number and stream."""
    spans = trace.spans
    columns = ("device", "stream", "pid", "tid", "track")
    rows = sorted(set(zip(*(spans[name].tolist() for name in columns), strict=True)))
    processes = {device: n for n, device in enumerate(sorted({HOST} | {r[0] for r in rows}), 1)}
    lanes: dict[LaneKey, tuple[int, int]] = {}
    for device, _, pid, tid, track in rows:
        key = (device, pid, tid, track)
        lanes.setdefault(key, (processes[device], len(lanes) + 1))
    return lanes


def _lane_names(lanes: dict[LaneKey, tuple[int, int]]) -> Iterator[dict[str, Any]]:
    """Metadata events that name and order processes and threads."""
    named = set()
    for (device, _, _, track), (pid, tid) in lanes.items():
        if pid not in named:
            named.add(pid)
            name = "host" if device == HOST else f"GPU {device}"
            yield _metadata("process_name", pid, 0, {"name": name})
            yield _metadata("process_sort_index", pid, 0, {"sort_index": pid})
        yield _metadata("thread_name", pid, tid, {"name": track})
        yield _metadata("thread_sort_index", pid, tid, {"sort_index": tid})


def _metadata(name: str, pid: int, tid: int, args: dict[str, str | int]) -> dict[str, Any]:
    return {"ph": "M", "name": name, "pid": pid, "tid": tid, "ts": 0, "args": args}


def _span_places(trace: Trace, lanes: dict[LaneKey, tuple[int, int]]) -> list[tuple[int, int]]:
    spans = trace.spans
    columns = (spans[name].tolist() for name in ("device", "pid", "tid", "track"))
    return [lanes[key] for key in zip(*columns, strict=True)]


def _span_events(trace: Trace, lanes: dict[LaneKey, tuple[int, int]]) -> Iterator[dict[str, Any]]:
    columns = {name: trace.spans[name].tolist() for name in trace.spans}
    places = _span_places(trace, lanes)
    ids = zip(*(columns[name] for name in ID_COLUMNS), strict=True)
    for (pid, tid), ts, dur, kind, name, numbers, own in zip(
        places,
        columns["ts_ns"],
        columns["dur_ns"],
        columns["kind"],
        columns["name"],
        ids,
        columns["args"],
        strict=True,
    ):
        args = {key: n for key, n in zip(ID_COLUMNS, numbers, strict=True) if n != NONE}
        if own is not None:
            args["args"] = own
        event = {"ph": "X", "name": name, "cat": kind, "pid": pid, "tid": tid, "ts": _us(ts)}
        if kind == "instant" and dur == 0:
            event |= {"ph": "i", "s": "t"}
        else:
            event["dur"] = _us(dur)
        yield event | {"args": args} if args else event


def _flow_events(trace: Trace, lanes: dict[LaneKey, tuple[int, int]]) -> Iterator[dict[str, Any]]:
    """Both ends of every flow; `args.span` names the span exactly, for reading back."""
    places = _span_places(trace, lanes)
    starts = trace.spans["ts_ns"].tolist()
    flows = (trace.flows[name].tolist() for name in ("src", "dst", "kind"))
    for number, (src, dst, kind) in enumerate(zip(*flows, strict=True)):
        for phase, span in (("s", src), ("f", dst)):
            pid, tid = places[span]
            event = {
                "ph": phase,
                "id": number,
                "name": kind,
                "cat": "flow",
                "pid": pid,
                "tid": tid,
                "ts": _us(starts[span]),
                "args": {"span": span},
            }
            yield event | {"bp": "e"} if phase == "f" else event


def _counter_events(trace: Trace) -> Iterator[dict[str, Any]]:
    columns = (trace.counters[name].tolist() for name in ("ts_ns", "track", "name", "value"))
    for ts, track, name, value in zip(*columns, strict=True):
        yield {
            "ph": "C",
            "name": name,
            "cat": track,
            "pid": HOST_PROCESS,
            "tid": 0,
            "ts": _us(ts),
            "args": {"value": value},
        }
