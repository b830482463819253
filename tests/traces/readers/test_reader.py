"""Chrome and profiler files of every sort: what each event becomes."""

import gzip
import io
import json
import zipfile

import pytest

from traces import TraceError, open_trace


def read(*events, **keys):
    return open_trace(json.dumps({"traceEvents": list(events)} | keys).encode())


def x(name="a", ts=0, dur=1, **more):
    return {"ph": "X", "name": name, "ts": ts, "dur": dur, "pid": 1, "tid": 1} | more


def table(trace, *columns):
    return list(trace.spans[list(columns)].itertuples(index=False, name=None))


def test_microseconds_become_nanoseconds_from_zero_whatever_displayTimeUnit_says():
    trace = read(x(ts=1712195495506161.288, dur=1.28), x("b", ts="1712195495506163"))
    assert trace.spans["dur_ns"].tolist() == [1280, 1000]
    assert read(x(dur=2), displayTimeUnit="ns").spans["dur_ns"].tolist() == [2000]
    text = b'[{"ph":"X","ts":1700000000000000.001,"dur":0},{"ph":"X","ts":1700000000000000.002}]'
    exact = open_trace(text)
    assert exact.spans["ts_ns"].tolist() == [0, 1]
    assert exact.meta["clock_start_ns"] == 1_700_000_000_000_000_001


def test_array_and_object_form_give_the_same_spans():
    events = [x("outer", 0, 10), x("inner", 2, 3)]
    array = open_trace(json.dumps(events).encode())
    assert array.spans.equals(read(*events).spans)


def test_begin_and_end_nest_by_name_and_time_not_by_file_order():
    marks = [("B", "b", 1), ("E", "b", 9), ("B", "a", 0), ("E", None, 10)]
    trace = read(*({"ph": p, "name": n, "ts": t, "pid": 0, "tid": 0} for p, n, t in marks))
    assert table(trace, "name", "ts_ns", "dur_ns") == [("a", 0, 10_000), ("b", 1000, 8000)]
    assert trace.meta["warnings"] == []


def test_begins_and_ends_without_partner_are_told():
    marks = [("E", "x", 0), ("B", "open", 1), ("X", "y", 5)]
    trace = read(*({"ph": p, "name": n, "ts": t, "pid": 0, "tid": 0} for p, n, t in marks))
    assert table(trace, "name", "dur_ns") == [("open", 4000), ("y", 0)]
    assert trace.meta["skipped"] == 1
    assert len(trace.meta["warnings"]) == 2


def test_asynchronous_spans_pair_by_category_and_id_and_are_never_work():
    common = {"pid": 0, "tid": 0, "cat": "io"}
    trace = read(
        common | {"ph": "b", "id": 1, "name": "one", "ts": 0},
        common | {"ph": "b", "id": 2, "name": "two", "ts": 1},
        common | {"ph": "e", "id": 1, "name": "one", "ts": 5},
        common | {"ph": "e", "id": 2, "name": "two", "ts": 9},
        common | {"ph": "n", "id": 2, "name": "mark", "ts": 3},
    )
    assert table(trace, "name", "kind", "dur_ns") == [
        ("one", "annotation", 5000),
        ("two", "annotation", 8000),
        ("mark", "instant", 0),
    ]


def test_counters_have_one_row_a_series():
    trace = read(
        {"ph": "C", "name": "memory", "ts": 1, "pid": 7, "args": {"used": 1, "free": 2.5}},
        {"ph": "C", "name": "depth", "ts": 2, "pid": 7, "args": {"value": 3}},
        {"ph": "M", "name": "process_name", "pid": 7, "args": {"name": "engine"}},
    )
    rows = list(trace.counters.itertuples(index=False, name=None))
    assert rows == [
        (0, "engine", "memory used", 1.0),
        (0, "engine", "memory free", 2.5),
        (1000, "engine", "depth", 3.0),
    ]


def test_lanes_are_called_by_process_and_thread_names_wherever_these_stand():
    trace = read(
        x(),
        x(pid=2, tid=22),
        {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "main"}},
    )
    assert trace.spans["track"].tolist() == ["python · main 1", "process 2 · thread 22"]


def test_arrows_bind_to_the_open_span_or_to_the_next_one():
    flow = {"id": 5, "cat": "c", "name": "f"}
    trace = read(
        x("sender", 0, 10),
        x("around", 20, 30, tid=2),
        x("next", 25, 5, tid=2),
        flow | {"ph": "s", "ts": 5, "pid": 1, "tid": 1},
        flow | {"ph": "t", "ts": 22, "pid": 1, "tid": 2, "bp": "e"},
        flow | {"ph": "f", "ts": 23, "pid": 1, "tid": 2},
    )
    names = trace.spans["name"]
    edges = [(names[a], names[b], k) for a, b, k in trace.flows.itertuples(index=False)]
    assert edges == [("sender", "around", "other"), ("around", "next", "other")]


def gpu(category, name, ts, dur, stream=7, **args):
    placed = {"device": 0, "stream": stream} | args
    return x(name, ts, dur, cat=category, pid=0, tid=stream, args=placed)


@pytest.mark.parametrize(
    ("category", "name", "kind"),
    [
        ("kernel", "gemm", "kernel"),
        ("Kernel", "gemm", "kernel"),
        ("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", "h2d"),
        ("Memcpy", "Memcpy DtoH (Device -> Pageable)", "d2h"),
        ("gpu_memcpy", "Memcpy DtoD (Device -> Device)", "copy"),
        ("gpu_memset", "Memset (Device)", "memset"),
        ("gpu_user_annotation", "step", "annotation"),
        ("cuda_sync", "Stream Wait Event", "annotation"),
    ],
)
def test_gpu_categories_old_and_new(category, name, kind):
    (row,) = table(read(gpu(category, name, 0, 1)), "kind", "device", "stream")
    assert row == (kind, 0, 7)


@pytest.mark.parametrize(
    ("category", "name", "kind"),
    [
        ("cpu_op", "aten::add", "op"),
        ("Operator", "aten::add", "op"),
        ("python_function", "forward", "python"),
        ("user_annotation", "ProfilerStep#1", "annotation"),
        ("overhead", "Command Buffer Full", "overhead"),
        ("cuda_runtime", "cudaLaunchKernel", "launch"),
        ("Runtime", "cudaMemcpyAsync", "launch"),
        ("cuda_driver", "cuLaunchKernelEx", "launch"),
        ("cuda_runtime", "hipGraphLaunch", "launch"),
        ("cuda_runtime", "cudaLaunchHostFunc", "runtime"),
        ("cuda_runtime", "cudaStreamSynchronize", "sync"),
        ("cuda_runtime", "hipMemcpyWithStream", "sync"),
        ("cuda_runtime", "cudaMemcpy", "sync"),
        ("cuda_runtime", "cudaStreamWaitEvent", "runtime"),
        ("", "anything", "host"),
    ],
)
def test_host_categories_old_and_new(category, name, kind):
    (row,) = table(read(x(name, cat=category)), "kind", "device")
    assert row == (kind, -1)


def test_streams_are_read_from_old_thread_names_and_from_numbers():
    old = x("k", cat="Kernel", pid=1, tid="stream 20")
    assert table(read(old), "device", "stream", "track") == [(1, 20, "GPU 1 · stream 20")]
    legacy = {"ph": "X", "name": "Memcpy HtoD", "ts": 0, "dur": 1, "pid": "CUDA functions"}
    assert table(read(legacy | {"tid": 0}), "kind", "device") == [("h2d", 0)]


def test_one_graph_launch_owns_all_its_kernels_and_a_launch_beats_other_calls():
    trace = read(
        x("cudaDriverCall", 0, 1, cat="cuda_driver", args={"correlation": 9}),
        x("cudaGraphLaunch", 1, 2, cat="cuda_runtime", args={"correlation": 9}),
        gpu("kernel", "a", 5, 1, correlation=9),
        gpu("kernel", "b", 7, 1, correlation=9),
        gpu("kernel", "unlaunched", 9, 1, correlation=10),
    )
    names = trace.spans["name"]
    edges = [(names[a], names[b]) for a, b, _ in trace.flows.itertuples(index=False)]
    assert edges == [("cudaGraphLaunch", "a"), ("cudaGraphLaunch", "b")]


def test_what_the_profiler_says_about_itself_does_not_stretch_the_trace():
    trace = read(
        x("PyTorch Profiler (0)", -500, 10**6, cat="Trace", pid="Spans"),
        {"ph": "i", "name": "Iteration Start: PyTorch Profiler", "ts": -900, "pid": "Traces"},
        {"ph": "i", "name": "Record Window End", "ts": 10**9, "pid": "", "tid": ""},
        x("aten::add", 0, 5, cat="cpu_op"),
    )
    assert table(trace, "name", "ts_ns") == [("aten::add", 0)]
    assert len(trace.meta["profiler_markers"]) == 3


def test_events_without_time_or_with_negative_duration_are_counted():
    trace = read(x(), {"ph": "X", "name": "?"}, x(dur=-1), x(ts="soon"), {})
    assert len(trace.spans) == 1
    assert trace.meta["skipped"] == 3
    assert len(trace.meta["warnings"]) == 2


def test_keys_before_and_after_the_events_are_kept():
    text = b'{"schemaVersion":1,"traceEvents":[{"ph":"X","ts":1}],"traceName":"t.json"}'
    assert open_trace(text).meta["file"] == {"schemaVersion": 1, "traceName": "t.json"}


def zipped(*names):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, json.dumps([x()]))
    return buffer.getvalue()


def test_archives_open_by_content():
    plain = json.dumps([x(), x("b")]).encode()
    halves = gzip.compress(plain[:9]) + gzip.compress(plain[9:])
    for data in (plain, gzip.compress(plain), halves, b"\xef\xbb\xbf" + plain):
        assert len(open_trace(data).spans) == 2
    assert len(open_trace(io.BytesIO(gzip.compress(gzip.compress(plain)))).spans) == 2
    assert len(open_trace(zipped("trace.json", "__MACOSX/x")).spans) == 1
    with pytest.raises(TraceError, match="holds 2 files"):
        open_trace(zipped("a", "b"))


def test_the_size_is_capped_while_unpacking():
    bomb = gzip.compress(b" " * 3_000_000)
    with pytest.raises(TraceError, match="unpacks to more than 1 MiB"):
        open_trace(bomb, max_bytes=1 << 20)


def test_the_name_is_noted_and_plays_no_part():
    assert open_trace(json.dumps([x()]).encode(), name="a.csv").meta["name"] == "a.csv"
