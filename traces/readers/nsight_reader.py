"""Reads the SQLite export of an Nsight Systems report.

The exporter makes a table only where it has rows for it, and columns come and go with its
version: every table and every column is optional here. Enumerations are read from the file's
own ENUM_ tables. Times are integer ns since the start of the session. Facts:
https://docs.nvidia.com/nsight-systems/UserGuide (exporter's SQLite schema).
"""

import re
from collections.abc import Iterator
from typing import Any

from traces.clock import LIMIT_NS
from traces.readers.assembly import LaneNames, assembled
from traces.readers.correlation import UNKNOWN, correlation_flows
from traces.readers.kineto import call_kind, copy_kind
from traces.readers.nsight_ranges import nvtx_ranges, process_of, thread_lane
from traces.readers.source import Content
from traces.readers.span_table import Lane, SpanTable
from traces.readers.sqlite_tables import Tables, open_tables
from traces.schema import HOST, NONE, Trace, TraceError

CUPTI = "CUPTI_ACTIVITY_KIND_"
NO_STREAM = (None, 0xFFFFFFFF)
DIRECTION = re.compile(r"\b(\w)\w*+-to-(\w)\w*")
API_VERSION = re.compile(r"_v\d{4,}$")
DIAGNOSTICS = 5
DIAGNOSTIC_CHARACTERS = 380

NOT_NSIGHT = (
    "This SQLite database is no Nsight Systems export; export the report with "
    "`nsys export --type sqlite` and open that."
)
ROCPD = (
    "This is a rocpd database, which is not read; record with `rocprofv3 --output-format json` "
    "or convert it with `rocpd convert --output-format pftrace`, and open that."
)
WHOLE_GRAPHS = (
    "{n:,} CUDA graphs are recorded as one block each, without their kernels; record with "
    "`nsys profile --cuda-graph-trace=node` to see inside."
)


def read_nsight(content: Content) -> Trace:
    """The trace of an export. Raises TraceError for another or a damaged database."""
    with open_tables(content) as tables:
        if not any(
            name.startswith((CUPTI, "NVTX_", "META_DATA_EXPORT")) for name in tables.columns
        ):
            is_rocpd = any(name.startswith("rocpd_") for name in tables.columns)
            raise TraceError(ROCPD if is_rocpd else NOT_NSIGHT)
        return NsightReader(tables).read()


class NsightReader:
    """Collects the spans of one export."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._table = SpanTable()
        self._strings = {
            number: value
            for number, value in tables.rows("StringIds", "id", "value")
            if isinstance(value, str)
        }
        self._gpus = {
            (pid, cuda): gpu
            for pid, cuda, gpu in tables.rows("TARGET_INFO_CUDA_DEVICE", "pid", "cudaId", "gpuId")
        }
        self._lost = 0
        self._sync_calls: dict[tuple[int, int], str] = {}
        """(pid, correlation) -> the call behind a synchronisation: where the recorded kind of
        a synchronisation and the call's name disagree, the name is right."""

    def read(self) -> Trace:
        """All spans, with their flows."""
        self._kernels()
        self._copies()
        self._memsets()
        graphs = self._graphs()
        self._calls()
        self._synchronisations()
        self._overheads()
        unclosed = nvtx_ranges(self._tables, self._strings, self._table)
        sentences = [
            (self._lost, f"{self._lost:,} events without a usable time or device were skipped; "
             "busy time is a lower bound."),
            (graphs, WHOLE_GRAPHS.format(n=graphs)),
            (unclosed, f"{unclosed:,} ranges never end; they are drawn to the end of the trace."),
            (self._tables.damaged, "The database is damaged; what could be read of it is shown."),
        ]  # fmt: skip
        meta = {
            "format": "Nsight Systems (SQLite export)",
            "skipped": self._lost,
            "cut_off": bool(self._tables.damaged),
            "warnings": [sentence for is_so, sentence in sentences if is_so] + self._diagnostics(),
            "file": self._about(),
        }
        start = next(self._tables.rows("TARGET_INFO_SESSION_START_TIME", "utcEpochNs"), (None,))[0]
        unix_ns = start if isinstance(start, int) else None
        trace = assembled(self._table, self._names(), meta, unix_ns=unix_ns)
        pid = trace.spans["pid"].astype(object)
        trace.flows = correlation_flows(trace.spans, pid.where(pid != str(NONE), UNKNOWN))
        return trace

    def _kernels(self) -> None:
        names = ("demangledName", "shortName", "graphId")
        for *where, long, short, graph in self._gpu_rows("KERNEL", *names):
            name = self._strings.get(long) or self._strings.get(short) or "kernel"
            self._gpu_span(where, "kernel", name, {"graph id": graph} if graph else None)

    def _copies(self) -> None:
        directions = self._labels("ENUM_CUDA_MEMCPY_OPER")
        memory = self._labels("ENUM_CUDA_MEM_KIND")
        columns = ("bytes", "copyKind", "srcKind", "dstKind")
        for *where, size, direction, source, target in self._gpu_rows("MEMCPY", *columns):
            short = DIRECTION.sub(r"\1to\2", directions.get(direction, ""))
            name = f"Memcpy {short} ({memory.get(source, '?')} -> {memory.get(target, '?')})"
            self._gpu_span(where, copy_kind(name), name, {"bytes": size})

    def _memsets(self) -> None:
        memory = self._labels("ENUM_CUDA_MEM_KIND")
        for *where, size, kind in self._gpu_rows("MEMSET", "bytes", "memKind"):
            name = f"Memset ({memory.get(kind, '?')})"
            self._gpu_span(where, "memset", name, {"bytes": size})

    def _graphs(self) -> int:
        """Whole CUDA graphs that stand for their kernels; how many there are."""
        count = 0
        for *where, graph in self._gpu_rows("GRAPH_TRACE", "graphId"):
            self._gpu_span(where, "kernel", f"CUDA graph {graph}", {"graph id": graph})
            count += 1
        return count

    def _gpu_rows(self, kind: str, *more: str) -> Iterator[tuple[Any, ...]]:
        placed = ("start", "end", "deviceId", "streamId", "correlationId", "globalPid")
        return self._tables.rows(CUPTI + kind, *placed, *more)

    def _gpu_span(
        self, where: list[Any], kind: str, name: str, args: dict[str, Any] | None, label: str = ""
    ) -> None:
        start, end, device, stream, correlation, global_pid = where
        pid = process_of(global_pid)
        device = self._gpus.get((pid, device), device)
        if isinstance(device, int) and device < 0:  # no GPU, and no work of the host either
            self._lost += 1
            return
        stream = NONE if stream in NO_STREAM else stream
        lane = Lane(str(pid), str(stream), device or 0, stream, label)
        self._span(start, end, lane, kind, name, correlation, args)

    def _calls(self) -> None:
        columns = ("start", "end", "globalTid", "correlationId", "nameId")
        for start, end, thread, correlation, name_id in self._tables.rows(
            CUPTI + "RUNTIME", *columns
        ):
            name = API_VERSION.sub("", self._strings.get(name_id) or "unknown call")
            kind = call_kind(name)
            if kind == "sync" or "WaitEvent" in name:
                self._sync_calls[process_of(thread), correlation] = name
            self._span(start, end, thread_lane(thread), kind, name, correlation)

    def _synchronisations(self) -> None:
        labels = self._labels("ENUM_CUPTI_SYNC_TYPE")
        for *where, kind in self._gpu_rows("SYNCHRONIZATION", "syncType"):
            call = self._sync_calls.get((process_of(where[-1]), where[-2]))
            name = call or labels.get(kind, "synchronisation")
            self._gpu_span(where, "annotation", name, None, "annotations")

    def _overheads(self) -> None:
        kinds = self._labels("ENUM_CUPTI_OVERHEAD_TYPE")
        for table in (CUPTI + "OVERHEAD", "PROFILER_OVERHEAD"):
            columns = ("start", "end", "globalTid", "nameId", "overheadType")
            for start, end, thread, name_id, kind in self._tables.rows(table, *columns):
                name = kinds.get(kind) or self._strings.get(name_id) or "overhead"
                self._span(start, end, thread_lane(thread), "overhead", name)

    def _span(
        self,
        start: object,
        end: object,
        lane: Lane,
        kind: str,
        name: str,
        correlation: object = None,
        args: dict[str, Any] | None = None,
    ) -> None:
        """A span whose times are plausible; zero at both ends is what a full buffer leaves."""
        if not (isinstance(start, int) and isinstance(end, int) and _is_placed(lane)):
            self._lost += 1
        elif not -LIMIT_NS < start <= end < LIMIT_NS or start == end == 0:
            self._lost += 1
        else:
            correlation = correlation if isinstance(correlation, int) else NONE
            self._table.add(start, end - start, lane, kind, str(name), correlation, args)

    def _labels(self, table: str) -> dict[Any, str]:
        """The words for the numbers of an enumeration."""
        rows = self._tables.rows(table, "id", "label", "name")
        return {number: str(label or name) for number, label, name in rows}

    def _names(self) -> LaneNames:
        processes = self._tables.rows("PROCESSES", "globalPid", "name")
        threads = self._tables.rows("ThreadNames", "globalTid", "nameId")
        return LaneNames(
            {str(process_of(process)): str(name) for process, name in processes if name},
            {
                (lane.pid, lane.tid): str(self._strings.get(name_id, ""))
                for lane, name_id in ((thread_lane(thread), name_id) for thread, name_id in threads)
            },
        )

    def _diagnostics(self) -> list[str]:
        """What Nsight itself warns of."""
        levels = self._labels("ENUM_DIAGNOSTIC_SEVERITY_LEVEL") or {2: "Warning", 3: "Error"}
        told = [
            f"Nsight says: {' '.join(str(text).split())[:DIAGNOSTIC_CHARACTERS]}"
            for severity, text in self._tables.rows("DIAGNOSTIC_EVENT", "severity", "text")
            if levels.get(severity) in ("Warning", "Error")
        ]
        return list(dict.fromkeys(told))[:DIAGNOSTICS]

    def _about(self) -> dict[str, Any]:
        """Which exporter wrote the file, on which GPUs, and what kind each stream is."""
        export = dict(self._tables.rows("META_DATA_EXPORT", "name", "value"))
        kinds = self._labels("ENUM_CUPTI_STREAM_TYPE")
        gpus = self._tables.rows("TARGET_INFO_GPU", "id", "name")
        streams = self._tables.rows("TARGET_INFO_CUDA_STREAM", "processId", "streamId", "flag")
        used = {(lane.pid, lane.stream) for lane in self._table.lanes if lane.stream != NONE}
        return {
            "exporter": export.get("EXPORT_PRODUCT_VERSION", ""),
            "schema": export.get("EXPORT_SCHEMA_VERSION", ""),
            "gpus": [{"id": number, "name": name} for number, name in gpus],
            "streams": [
                {"pid": str(pid), "stream": stream, "kind": kinds.get(flag, "")}
                for pid, stream, flag in streams
                if (str(pid), stream) in used
            ],
        }


def _is_placed(lane: Lane) -> bool:
    """Whether device and stream, which come as the file has them, are numbers."""
    return isinstance(lane.device, int) and isinstance(lane.stream, int) and lane.device >= HOST
