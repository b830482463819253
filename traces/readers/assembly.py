"""The last step of every reader of foreign files: collected spans to a `Trace`.

Gives every lane its label and shifts the clock to the first event; `meta["clock_start_ns"]`
keeps the shift, and `meta["unix_start_ns"]` the wall time of 0 where the file tells it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from traces.clock import LIMIT_NS
from traces.readers.refusals import NO_EVENTS
from traces.readers.span_table import LONGEST_LABEL, Lane, SpanTable, categorical, cut
from traces.schema import HOST, NONE, NoTraceError, Trace, narrowed

Counters = Mapping[str, np.ndarray]
"""Columns ts_ns, track, name and value."""


@dataclass
class LaneNames:
    """What a file calls its processes and threads. Of long names labels have the beginning: that
    of a process may stand in thousands."""

    processes: dict[str, str] = field(default_factory=dict)
    threads: dict[tuple[str, str], str] = field(default_factory=dict)

    def process(self, pid: str) -> str:
        """The name of a process, or its number."""
        name = self.processes.get(pid) or (f"process {pid}" if pid else "process")
        return cut(name, LONGEST_LABEL)

    def track(self, lane: Lane, is_shared: bool = False) -> str:
        """The label of a lane: "GPU 0 · stream 7", "python · thread 123". A stream number
        that several processes use (`is_shared`) is told with the process."""
        if lane.device != HOST:
            shared = f" · {self.process(lane.pid)} {lane.pid}" if is_shared else ""
            stream = f" · stream {lane.stream}" if lane.stream != NONE else ""
            label = f" · {cut(lane.label, LONGEST_LABEL)}" if lane.label else ""
            return f"GPU {lane.device}{shared}{stream}{label}"
        process = self.process(lane.pid)
        if lane.label:
            return f"{process} · {cut(lane.label, LONGEST_LABEL)}"
        thread = cut(self.threads.get((lane.pid, lane.tid), ""), LONGEST_LABEL)
        if not thread and not lane.tid:
            return process
        has_number = lane.tid and lane.tid in thread
        label = thread if has_number else f"{thread} {lane.tid}" if thread else f"thread {lane.tid}"
        return f"{process} · {label}"


def assembled(
    table: SpanTable,
    names: LaneNames,
    meta: Mapping[str, Any],
    counters: Counters | None = None,
    unix_ns: int | None = None,
) -> Trace:
    """The trace of all spans and counters, without flows. `unix_ns` is the wall time of 0 on
    the file's clock; one that is no time of these decades is not noted. Raises TraceError if
    there is nothing to draw."""
    columns = table.sorted_columns()
    counters = counters or {"ts_ns": np.empty(0, dtype=np.int64)}
    times = (columns["ts_ns"], counters["ts_ns"])
    if not any(map(len, times)):
        raise NoTraceError(NO_EVENTS)
    shift = min(int(column.min()) for column in times if len(column))
    numbers = columns.pop("lane")
    columns["ts_ns"] -= shift
    clock = {"clock_start_ns": shift}
    if unix_ns is not None and -LIMIT_NS < unix_ns + shift < LIMIT_NS:
        clock["unix_start_ns"] = unix_ns + shift
    return Trace.from_rows(
        columns | _lane_columns(list(table.lanes), numbers, names),
        counters={**counters, "ts_ns": counters["ts_ns"] - shift},
        meta=dict(meta) | clock,
    )


def _lane_columns(
    lanes: list[Lane], numbers: np.ndarray, names: LaneNames
) -> dict[str, np.ndarray | pd.Categorical]:
    """Track, pid, tid, device and stream of each span from its lane number."""
    shared = _shared_streams(lanes)
    tracks = [names.track(lane, (lane.device, lane.stream) in shared) for lane in lanes]
    return {
        "track": categorical(tracks, numbers),
        "pid": categorical([lane.pid for lane in lanes], numbers),
        "tid": categorical([lane.tid for lane in lanes], numbers),
        "device": narrowed(np.array([lane.device for lane in lanes], dtype=np.int64))[numbers],
        "stream": narrowed(np.array([lane.stream for lane in lanes], dtype=np.int64))[numbers],
    }


def _shared_streams(lanes: Iterable[Lane]) -> set[tuple[int, int]]:
    """(device, stream) of the streams that more than one process has."""
    pids: dict[tuple[int, int], set[str]] = defaultdict(set)
    for lane in lanes:
        if lane.device != HOST:
            pids[lane.device, lane.stream].add(lane.pid)
    return {stream for stream, users in pids.items() if len(users) > 1}
