"""Nsight Systems exports: what each table becomes, and which of them may be missing."""

import gzip
import sqlite3

import pytest

from tests.traces.readers.nsight_files import (
    GLOBAL_PID,
    GLOBAL_TID,
    OTHER_PID,
    PID,
    STRINGS,
    TID,
    call,
    gpu,
    kernel,
    name_id,
    tables,
    write,
)
from traces import TraceError, find_gaps, open_trace

KERNEL, RUNTIME = "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME"


@pytest.fixture
def read(tmp_path):
    def read(**content):
        return open_trace(write(tmp_path / "report", tables(**content)))

    return read


def table(trace, *columns):
    return list(trace.spans[list(columns)].itertuples(index=False, name=None))


def edges(trace):
    names = trace.spans["name"]
    return [(names[a], names[b], kind) for a, b, kind in trace.flows.itertuples(index=False)]


def test_a_kernel_and_its_launch_keep_their_nanoseconds_and_find_each_other(read):
    trace = read(**{KERNEL: [kernel(2001, 2008)], RUNTIME: [call("cudaLaunchKernel", 1003, 1010)]})
    assert table(trace, "ts_ns", "dur_ns", "kind", "name", "device", "stream") == [
        (0, 7, "launch", "cudaLaunchKernel", -1, -1),
        (998, 7, "kernel", "gemm<float>", 0, 7),
    ]
    assert edges(trace) == [("cudaLaunchKernel", "gemm<float>", "launch")]
    assert trace.meta["clock_start_ns"] == 1003
    assert trace.meta["format"].startswith("Nsight Systems")
    assert trace.meta["file"]["schema"] == "3.25.0"


def test_the_wall_time_of_the_start_is_the_sessions_plus_the_first_event(read):
    session = {"TARGET_INFO_SESSION_START_TIME": [{"utcEpochNs": 1_700_000_000_000_000_001}]}
    trace = read(**{KERNEL: [kernel(-3000, 1)]} | session)
    assert trace.meta["unix_start_ns"] == 1_700_000_000_000_000_001 - 3000


def test_without_a_session_no_wall_time_is_claimed(read):
    assert "unix_start_ns" not in read(CUPTI_ACTIVITY_KIND_MEMSET=[gpu(5, 9)]).meta


def test_copies_say_direction_and_memory_by_the_files_own_tables(read):
    copies = [
        gpu(0, 5, bytes=64, copyKind=1, srcKind=0, dstKind=2),
        gpu(6, 9, bytes=8, copyKind=2, srcKind=2, dstKind=1),
        gpu(10, 12, bytes=8, copyKind=8, srcKind=2, dstKind=2),
        gpu(13, 14, bytes=8, copyKind=99, srcKind=98, dstKind=2),
    ]
    trace = read(CUPTI_ACTIVITY_KIND_MEMCPY=copies)
    assert table(trace, "kind", "name") == [
        ("h2d", "Memcpy HtoD (Pageable -> Device)"),
        ("d2h", "Memcpy DtoH (Device -> Pinned)"),
        ("copy", "Memcpy DtoD (Device -> Device)"),
        ("copy", "Memcpy  (? -> Device)"),
    ]
    assert trace.spans["args"][0] == {"bytes": 64}


def test_the_numbers_of_another_version_are_read_from_its_tables(read, tmp_path):
    content = tables(
        CUPTI_ACTIVITY_KIND_MEMCPY=[gpu(0, 5, bytes=64, copyKind=71, srcKind=72, dstKind=2)],
        ENUM_CUDA_MEMCPY_OPER=[{"id": 71, "name": "x", "label": "Host-to-Device"}],
        ENUM_CUDA_MEM_KIND=[{"id": 72, "name": "x", "label": "Pinned"}],
    )
    trace = open_trace(write(tmp_path / "other", content))
    assert trace.spans["name"][0] == "Memcpy HtoD (Pinned -> ?)"


def test_correlation_ids_of_two_processes_are_not_mixed_up(read):
    trace = read(
        **{
            KERNEL: [kernel(10, 20), kernel(30, 40, globalPid=OTHER_PID)],
            RUNTIME: [
                call("cudaLaunchKernel", 0, 5),
                call("cudaGraphLaunch", 21, 25, thread=OTHER_PID | 5),
            ],
        }
    )
    pairs = [(a, b) for a, b, _ in edges(trace)]
    assert pairs == [("cudaLaunchKernel", "gemm<float>"), ("cudaGraphLaunch", "gemm<float>")]
    assert [row.track for row in trace.gpu_spans().itertuples()] == [
        f"GPU 0 · process {PID} {PID} · stream 7",
        "GPU 0 · process 4300 4300 · stream 7",
    ]


def test_devices_are_numbered_by_gpu_not_by_what_each_process_calls_them(read):
    devices = [
        {"pid": PID, "cudaId": 0, "gpuId": 3},
        {"pid": 4300, "cudaId": 0, "gpuId": 4},
    ]
    kernels = [kernel(0, 5), kernel(6, 9, globalPid=OTHER_PID)]
    trace = read(**{KERNEL: kernels, "TARGET_INFO_CUDA_DEVICE": devices})
    assert trace.devices == [3, 4]


def test_a_graph_launch_owns_all_kernels_and_whole_graphs_are_told(read):
    graph = {"graphId": 6, "graphExecId": 7}
    trace = read(
        **{
            KERNEL: [kernel(10, 20, graphId=6), kernel(30, 40, graphId=6)],
            "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": [gpu(50, 90, 2, **graph)],
            RUNTIME: [call("cudaGraphLaunch", 0, 5), call("cudaGraphLaunch", 6, 8, 2)],
        }
    )
    assert [b for _, b, _ in edges(trace)] == ["gemm<float>", "gemm<float>", "CUDA graph 6"]
    assert trace.spans["args"].tolist()[2:] == [{"graph id": 6}] * 3
    assert ["--cuda-graph-trace=node" in warning for warning in trace.meta["warnings"]] == [True]


def test_synchronisations_are_no_work_and_go_by_the_name_of_the_call(read):
    trace = read(
        **{
            KERNEL: [kernel(0, 9)],
            RUNTIME: [call("cudaStreamSynchronize", 1, 9, 5)],
            "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": [
                gpu(2, 8, 5, syncType=2, streamId=0xFFFFFFFF),
                gpu(3, 4, 6, syncType=2),
            ],
        }
    )
    rows = table(trace, "kind", "name", "stream")
    assert rows[1:] == [
        ("sync", "cudaStreamSynchronize", -1),
        ("annotation", "cudaStreamSynchronize", -1),
        ("annotation", "Stream wait sync", 7),
    ]


def test_ranges_of_all_versions_of_the_table_are_read(read):
    def nvtx(start, end, kind, text, text_id=None):
        row = {"start": start, "end": end, "eventType": kind, "text": text, "textId": text_id}
        return row | {"globalTid": GLOBAL_TID}

    trace = read(
        NVTX_EVENTS=[
            nvtx(0, 90, 59, "step 1"),
            nvtx(5, 20, 59, "aten::mm, seq = 3, op_id = 17"),
            nvtx(6, 9, 60, None, name_id("worker")),
            nvtx(7, None, 34, "mark"),
            nvtx(8, None, 59, "never ends"),
            nvtx(None, None, 75, "a domain"),
        ],
        NVTX_EVENTS_V2=[nvtx(100, 120, 59, "later table")],
    )
    assert table(trace, "name", "kind", "ts_ns", "dur_ns") == [
        ("step 1", "annotation", 0, 90),
        ("aten::mm", "op", 5, 15),
        ("worker", "annotation", 6, 3),
        ("mark", "instant", 7, 0),
        ("never ends", "annotation", 8, 112),
        ("later table", "annotation", 100, 20),
    ]
    assert any("1 ranges never end" in warning for warning in trace.meta["warnings"])


def test_lanes_are_called_by_process_and_thread(read):
    trace = read(
        **{
            RUNTIME: [call("cudaLaunchKernel", 0, 5)],
            "PROCESSES": [{"globalPid": GLOBAL_PID, "pid": PID, "name": "python3"}],
            "ThreadNames": [{"globalTid": GLOBAL_TID, "nameId": name_id("worker")}],
        }
    )
    assert trace.spans["track"].tolist() == [f"python3 · worker {TID}"]


def test_overheads_are_host_time_with_the_files_words(read):
    row = {"start": 0, "end": 9, "globalTid": GLOBAL_TID, "nameId": 0, "overheadType": 8}
    trace = read(CUPTI_ACTIVITY_KIND_OVERHEAD=[row], PROFILER_OVERHEAD=[row])
    assert table(trace, "kind", "name") == [("overhead", "Command buffer full (CUDA)")] * 2


@pytest.mark.parametrize(
    ("start", "end"), [(0, 0), (9, 5), (None, 5), ("soon", 5), (1 << 62, 1 << 62), (1, 2.5)]
)
def test_events_without_a_usable_time_are_counted(read, start, end):
    trace = read(**{KERNEL: [kernel(10, 20), kernel(start, end)]})
    assert len(trace.spans) == 1
    assert trace.meta["skipped"] == 1
    assert "lower bound" in trace.meta["warnings"][0]


def test_what_nsight_warns_of_is_told_once_and_in_one_line(read):
    events = [
        {"severity": 1, "text": "fine"},
        {"severity": 2, "text": "Not all events\nmight have been collected."},
        {"severity": 2, "text": "Not all events\nmight have been collected."},
    ]
    trace = read(**{KERNEL: [kernel(0, 5)], "DIAGNOSTIC_EVENT": events})
    assert trace.meta["warnings"] == ["Nsight says: Not all events might have been collected."]


def test_streams_that_did_work_are_told_with_their_kind(read):
    streams = [
        {"processId": PID, "streamId": 7, "flag": 3},
        {"processId": PID, "streamId": 13, "flag": 2},
    ]
    trace = read(**{KERNEL: [kernel(0, 5)], "TARGET_INFO_CUDA_STREAM": streams})
    assert trace.meta["file"]["streams"] == [{"pid": str(PID), "stream": 7, "kind": "Null stream"}]


def test_a_table_without_a_column_gives_what_it_has(read):
    bare = [{"start": 0, "end": 5, "deviceId": 1}]
    trace = read(**{KERNEL: bare, "CUPTI_ACTIVITY_KIND_MEMCPY": bare})
    assert table(trace, "kind", "device", "stream") == [("kernel", 1, -1), ("copy", 1, -1)]


def test_packed_exports_and_bytes_open_too(tmp_path):
    path = write(tmp_path / "report", tables(**{KERNEL: [kernel(0, 5)]}))
    data = path.read_bytes()
    for source in (data, gzip.compress(data), path):
        assert open_trace(source).spans["name"].tolist() == ["gemm<float>"]
    assert path.read_bytes() == data


def test_views_are_not_run(tmp_path):
    path = write(tmp_path / "report", tables(**{RUNTIME: [call("cudaLaunchKernel", 0, 5)]}))
    connection = sqlite3.connect(path)
    endless = (
        "WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x FROM n) SELECT x AS start FROM n"
    )
    connection.execute(f"CREATE VIEW {KERNEL} AS {endless}")
    connection.commit()
    connection.close()
    assert open_trace(path).spans["kind"].tolist() == ["launch"]


def test_a_damaged_export_is_shown_as_far_as_it_goes_or_refused(tmp_path):
    kernels = [kernel(10 * n, 10 * n + 5, n + 1) for n in range(5000)]
    data = bytearray(write(tmp_path / "r", tables(**{KERNEL: kernels})).read_bytes())
    data[len(data) // 2 :] = bytes(len(data) - len(data) // 2)
    trace = open_trace(bytes(data))
    assert 500 < len(trace.spans) < 4500
    assert trace.meta["cut_off"]
    with pytest.raises(TraceError, match="database is damaged"):
        open_trace(bytes(data[:3000]))


def test_other_databases_are_refused_with_what_to_do(tmp_path):
    rocpd = write(tmp_path / "a", {"rocpd_kernel_dispatch": [{"id": 1}]})
    with pytest.raises(TraceError, match="rocpd convert"):
        open_trace(rocpd)
    other = write(tmp_path / "b", {"people": [{"id": 1}]})
    with pytest.raises(TraceError, match="nsys export --type sqlite"):
        open_trace(other)
    with pytest.raises(TraceError, match="no trace events"):
        open_trace(write(tmp_path / "c", tables()))


def test_gaps_are_explained_as_for_any_trace(read):
    trace = read(
        **{
            KERNEL: [kernel(0, 10_000, 1), kernel(90_000, 95_000, 2)],
            RUNTIME: [call("cudaLaunchKernel", 80_000, 85_000, 2)],
        }
    )
    (gap,) = find_gaps(trace)
    assert sum(part.ns for part in gap.parts) == gap.ns == 80_000


@pytest.mark.parametrize("value", [123, 1.5, b"abc", None])
def test_a_string_that_is_none_names_nothing(read, value):
    rows = [{"id": number, "value": value} for number in range(len(STRINGS))]
    calls = [call("cudaLaunchKernel", 10, 20)]
    trace = read(StringIds=rows, **{KERNEL: [kernel(30, 40)], RUNTIME: calls})
    assert trace.spans["name"].tolist() == ["unknown call", "kernel"]


@pytest.mark.parametrize("device", [-1, -2, -(1 << 63), "x", 1.5])
def test_work_of_no_gpu_is_counted_and_becomes_no_host_work(read, device):
    trace = read(**{KERNEL: [kernel(30, 40), kernel(50, 60, deviceId=device)]})
    assert table(trace, "ts_ns", "device") == [(0, 0)]
    assert trace.meta["skipped"] == 1
