"""Reads the JSON of rocprofv3 (`--output-format json`).

The records name their kernels, operations and agents by number; the tables for that stand in
the same file. Facts: ROCprofiler-SDK's documentation of the output schema.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import msgspec

from traces.readers.json_objects import objects_of
from traces.readers.kineto import number
from traces.readers.progress import Rows
from traces.readers.rocprof_records import (
    Record,
    api_record_kind,
    copy_record,
    correlation_id,
    rocprof_trace,
)
from traces.readers.source import UTF8_BOM, Bytes, Content
from traces.readers.span_table import LONGEST_NAME, cut
from traces.schema import HOST, NONE, Trace

ROOT = re.compile(rb'\s*\{\s*"rocprofiler-sdk-tool"')
RECORDS = re.compile(rb'"buffer_records"\s*:\s*\{')
GPU_AGENT = 2
CALLS = ("hip_api", "hsa_api", "marker_api", "rccl_api")
ARRAYS = ("kernel_dispatch", "memory_copy", *CALLS)
CUT_OFF = "The file was cut off or damaged; the records before that are shown."


class Handle(msgspec.Struct, frozen=True):
    """An opaque id."""

    handle: int = 0


class Correlation(msgspec.Struct, frozen=True):
    """The id that a call shares with the work it launched."""

    internal: int = 0


class Dispatch(msgspec.Struct, frozen=True):
    """What a kernel record says of its kernel."""

    kernel_id: int = 0
    agent_id: Handle = Handle()
    queue_id: Handle = Handle()


class JsonRecord(msgspec.Struct):
    """A record of any kind."""

    start_timestamp: int
    end_timestamp: int
    kind: int = NONE
    operation: int = NONE
    thread_id: int = NONE
    bytes: int | None = None
    correlation_id: Correlation = Correlation()
    dispatch_info: Dispatch = Dispatch()
    stream_id: Handle | None = None
    src_agent_id: Handle = Handle()
    dst_agent_id: Handle = Handle()


class Agent(msgspec.Struct):
    """A CPU (type 1) or a GPU (type 2)."""

    id: Handle = Handle()
    type: int = 0
    logical_node_type_id: int | None = None


class Symbol(msgspec.Struct):
    """A kernel's number and names."""

    kernel_id: int = NONE
    formatted_kernel_name: str = ""
    kernel_name: str = ""


class Kind(msgspec.Struct):
    """A kind of records, in the order of their numbers."""

    kind: str = ""
    operations: list[str] = []


class Marker(msgspec.Struct):
    """The text of a marker, by its correlation id."""

    key: int = NONE
    value: str = ""


T = TypeVar("T")
Raws = Mapping[str, list[msgspec.Raw]]


class Process(msgspec.Struct):
    """The records of one process and the tables that explain them, each row undecoded."""

    pid: str
    arrays: Raws


def is_rocprof_json(head: bytes) -> bool:
    """Whether a file that begins so is one of rocprofv3's."""
    return ROOT.match(head) is not None


def read_rocprof_json(content: Content) -> Trace:
    """The trace of a file, as far as it is whole. Raises TraceError if nothing is."""
    processes, warnings = _processes(content)
    count = sum(len(process.arrays[name]) for process in processes for name in ARRAYS)
    progress = Rows(content.read_up_to, len(content.data), count)
    found, lost = [], 0
    for process in processes:
        reader = _ProcessReader(process)
        for record in reader.records():
            found.append(record)
            progress.one_more()
        lost += reader.lost
    return rocprof_trace(found, "rocprofv3 (JSON)", [*content.warnings, *warnings], lost)


def _processes(content: Content) -> tuple[list[Process], list[str]]:
    """The parts of the file; where it is no whole JSON, what can be found in it."""
    data = content.data
    if data[: len(UTF8_BOM)] == UTF8_BOM:
        data = data[len(UTF8_BOM) :]
    try:
        whole = msgspec.json.decode(data, type=dict[str, list[dict[str, msgspec.Raw]]])
    except (msgspec.DecodeError, RecursionError):
        return [_salvaged(data)], [CUT_OFF]
    return [_process(part) for part in whole.get("rocprofiler-sdk-tool", [])], []


def _salvaged(data: Bytes) -> Process:
    """What can be found in a file that is cut off or damaged."""
    match = RECORDS.search(data)
    start = match.end() if match else 0
    arrays = {name: _raws(data, name, start) for name in ARRAYS}
    arrays |= {name: _raws(data, name) for name in ("agents", "kernel_symbols")}
    arrays |= {"kinds": _raws(data, "buffer_records"), "markers": _raws(data, "marker_api")}
    return Process("", arrays)


def _raws(data: Bytes, key: str, start: int = 0) -> list[msgspec.Raw]:
    return [msgspec.Raw(text) for text in objects_of(data, key, start)]


def _process(part: dict[str, msgspec.Raw]) -> Process:
    records = _table(part.get("buffer_records"))
    strings = _table(part.get("strings"))
    arrays = {name: _rows(records.get(name)) for name in ARRAYS}
    arrays |= {name: _rows(part.get(name)) for name in ("agents", "kernel_symbols")}
    arrays |= {
        "kinds": _rows(strings.get("buffer_records")),
        "markers": _rows(strings.get("marker_api")),
    }
    pid = _decoded(part.get("metadata") or msgspec.Raw(b"{}"), dict[str, Any]) or {}
    return Process(str(pid.get("pid", "")), arrays)


def _table(raw: msgspec.Raw | None) -> dict[str, msgspec.Raw]:
    return _decoded(raw, dict[str, msgspec.Raw]) or {} if raw is not None else {}


def _rows(raw: msgspec.Raw | None) -> list[msgspec.Raw]:
    return _decoded(raw, list[msgspec.Raw]) or [] if raw is not None else []


def _decoded(raw: msgspec.Raw, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.DecodeError, RecursionError):
        return None


class _ProcessReader:
    """Turns the records of one process into spans; `lost` counts those that are damaged."""

    def __init__(self, process: Process) -> None:
        self._pid = process.pid
        self._arrays = process.arrays
        self.lost = 0
        symbols = self._all("kernel_symbols", Symbol)
        self._kernels = {
            symbol.kernel_id: cut(symbol.formatted_kernel_name or symbol.kernel_name, LONGEST_NAME)
            for symbol in symbols
        }
        self._operations = [
            [cut(operation, LONGEST_NAME) for operation in kind.operations]
            for kind in self._all("kinds", Kind)
        ]
        self._markers = {
            marker.key: cut(marker.value, LONGEST_NAME) for marker in self._all("markers", Marker)
        }
        gpus = [agent for agent in self._all("agents", Agent) if agent.type == GPU_AGENT]
        self._gpus = {
            gpu.id.handle: max(number(gpu.logical_node_type_id, place), 0)
            for place, gpu in enumerate(gpus)
        }
        self._queues: dict[int, int] = {}

    def records(self) -> Iterator[Record]:
        """All records."""
        for row in self._counted("kernel_dispatch"):
            info = row.dispatch_info
            name = self._kernels.get(info.kernel_id) or f"kernel {info.kernel_id}"
            device = self._gpus.get(info.agent_id.handle, 0)
            yield self._record(row, "kernel", name, device, self._stream(row))
        for row in self._counted("memory_copy"):
            ends = (row.src_agent_id.handle, row.dst_agent_id.handle)
            direction = self._operation(row) or "_TO_".join(
                "DEVICE" if handle in self._gpus else "HOST" for handle in ends
            )
            kind, name, device = copy_record(direction, *(self._gpus.get(h, 0) for h in ends))
            stream = number(row.stream_id.handle) if row.stream_id is not None else NONE
            yield self._record(row, kind, name, device, stream)
        for array in CALLS:
            for row in self._counted(array):
                name = self._operation(row) or array
                kind = api_record_kind(array.upper(), name)
                if array == "marker_api":
                    name = self._markers.get(row.correlation_id.internal) or name
                yield self._record(row, kind, name)

    def _record(
        self, row: JsonRecord, kind: str, name: str, device: int = HOST, stream: int = NONE
    ) -> Record:
        correlation = correlation_id(row.correlation_id.internal)
        times = (row.start_timestamp, row.end_timestamp)
        stream = stream if device != HOST else NONE
        tid = str(row.thread_id)
        return Record(kind, name, *times, correlation, self._pid, tid, device, stream, row.bytes)

    def _stream(self, row: JsonRecord) -> int:
        """The HIP stream; from versions that do not write it the queue, by order of use."""
        if row.stream_id is not None:
            return number(row.stream_id.handle)
        return self._queues.setdefault(row.dispatch_info.queue_id.handle, len(self._queues))

    def _operation(self, row: JsonRecord) -> str:
        of_kind = self._operations[row.kind] if 0 <= row.kind < len(self._operations) else []
        return of_kind[row.operation] if 0 <= row.operation < len(of_kind) else ""

    def _counted(self, array: str) -> Iterator[JsonRecord]:
        for raw in self._arrays.get(array, []):
            row = _decoded(raw, JsonRecord)
            if row is None:
                self.lost += 1
            else:
                yield row

    def _all(self, array: str, kind: type[T]) -> list[T]:
        rows = (_decoded(raw, kind) for raw in self._arrays.get(array, []))
        return [row if row is not None else kind() for row in rows]
