"""Small SQLite exports for tests, made from the exporter's documented schema."""

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PID, TID = 4242, 4243
GLOBAL_PID = (1 << 48) | PID << 24
GLOBAL_TID = GLOBAL_PID | TID
OTHER_PID = (1 << 48) | 4300 << 24

Row = Mapping[str, Any]

ENUMS = {
    "ENUM_CUDA_MEMCPY_OPER": {1: "Host-to-Device", 2: "Device-to-Host", 8: "Device-to-Device"},
    "ENUM_CUDA_MEM_KIND": {0: "Pageable", 1: "Pinned", 2: "Device"},
    "ENUM_CUPTI_SYNC_TYPE": {1: "Event sync", 2: "Stream wait sync", 3: "Stream sync"},
    "ENUM_CUPTI_OVERHEAD_TYPE": {8: "Command buffer full (CUDA)"},
    "ENUM_CUPTI_STREAM_TYPE": {1: "Default stream", 2: "Non-blocking stream", 3: "Null stream"},
    "ENUM_DIAGNOSTIC_SEVERITY_LEVEL": {1: "Info", 2: "Warning", 3: "Error"},
}


def tables(**more: Sequence[Row]) -> dict[str, Sequence[Row]]:
    """The tables that every export has, and those given."""
    enums = {
        name: [{"id": number, "name": f"E_{number}", "label": label} for number, label in rows]
        for name, rows in ((name, rows.items()) for name, rows in ENUMS.items())
    }
    always: dict[str, Sequence[Row]] = {
        "META_DATA_EXPORT": [{"name": "EXPORT_SCHEMA_VERSION", "value": "3.25.0"}],
        "StringIds": [{"id": number, "value": name} for number, name in enumerate(STRINGS)],
    }
    return always | enums | more


STRINGS = ["gemm<float>", "gemm", "cudaLaunchKernel_v7000", "cudaMemcpyAsync_v3020", "worker"]
STRINGS += ["cudaStreamSynchronize_v3020", "cudaGraphLaunch_v10000", "cudaStreamGetCaptureInfo_v2"]


def name_id(name: str) -> int:
    return next(number for number, text in enumerate(STRINGS) if text.startswith(name))


def gpu(start: Any, end: Any, correlation: int = 1, **more: Any) -> Row:
    """What all GPU rows share."""
    where = {"deviceId": 0, "streamId": 7, "globalPid": GLOBAL_PID}
    return {"start": start, "end": end, "correlationId": correlation} | where | more


def kernel(start: Any, end: Any, correlation: int = 1, **more: Any) -> Row:
    names = {"demangledName": 0, "shortName": 1}
    return gpu(start, end, correlation, **names | more)


def call(name: str, start: int, end: int, correlation: int = 1, thread: int = GLOBAL_TID) -> Row:
    row = {"start": start, "end": end, "correlationId": correlation, "globalTid": thread}
    return row | {"nameId": name_id(name), "eventClass": 0}


def write(path: Path, content: Mapping[str, Sequence[Row]]) -> Path:
    """A database with these tables; a table's columns are the keys of its first row."""
    connection = sqlite3.connect(path)
    for table, rows in content.items():
        columns = list(rows[0])
        connection.execute(f'CREATE TABLE "{table}" ({", ".join(columns)})')
        marks = ", ".join("?" * len(columns))
        values = [[row[column] for column in columns] for row in rows]
        connection.executemany(f'INSERT INTO "{table}" VALUES ({marks})', values)
    connection.commit()
    connection.close()
    return path
