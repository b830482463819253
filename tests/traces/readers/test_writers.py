"""Chrome JSON by writers with ways of their own: JAX, VizTracer, XPU, merged ranks."""

import json

import pytest

from traces import device_activity, open_trace
from traces.readers import chrome_notes


def read(*events, **keys):
    return open_trace(json.dumps({"traceEvents": list(events)} | keys).encode())


def x(name="a", ts=0, dur=1, **more):
    return {"ph": "X", "name": name, "ts": ts, "dur": dur, "pid": 1, "tid": 1} | more


def name(kind, pid, text, tid=0):
    return {"ph": "M", "name": kind, "pid": pid, "tid": tid, "args": {"name": text}}


def table(trace, *columns):
    return list(trace.spans[list(columns)].itertuples(index=False, name=None))


JAX_NAMES = [
    name("process_name", 7, "/device:GPU:1"),
    name("thread_name", 7, "Stream #17(Kernel,MemcpyD2H)", 1),
    name("thread_name", 7, "XLA Modules", 2),
    name("process_name", 9, "/host:CPU"),
    name("process_name", 5, "/device:TPU:0"),
    name("thread_name", 5, "XLA Ops", 3),
]


def test_the_streams_of_a_jax_trace_are_work_and_what_retells_them_is_not():
    trace = read(
        *JAX_NAMES,
        x("fusion.3", 10, 5, pid=7, tid=1, args={"correlation_id": 4}),
        x("MemcpyD2H", 20, 2, pid=7, tid=1),
        x("jit_step", 10, 12, pid=7, tid=2),
        x("cuLaunchKernel", 0, 3, pid=9, tid=4, args={"correlation_id": 4}),
        x("dot.1", 5, 5, pid=5, tid=3),
        {},
    )
    assert trace.meta["format"] == "JAX/XLA profiler"
    assert table(trace, "name", "kind", "device", "stream") == [
        ("cuLaunchKernel", "launch", -1, -1),
        ("dot.1", "kernel", 0, -1),
        ("jit_step", "annotation", 1, -1),
        ("fusion.3", "kernel", 1, 17),
        ("MemcpyD2H", "d2h", 1, 17),
    ]
    assert trace.spans["track"].tolist()[2:] == ["GPU 1 · XLA Modules"] + ["GPU 1 · stream 17"] * 2
    assert trace.flows.to_dict("records") == [{"src": 0, "dst": 3, "kind": "launch"}]
    assert [device.busy_ns for device in device_activity(trace)] == [5000, 7000]
    assert trace.meta["warnings"] == []


@pytest.mark.parametrize(("limit", "warns"), [(1000, True), (1100, False)])
def test_a_jax_trace_that_reaches_the_writers_limit_is_told(limit, warns, monkeypatch):
    monkeypatch.setattr(chrome_notes, "CAPPED_EVENTS", limit)
    events = [x("k", ts, 1, pid=7, tid=1) for ts in range(1000 - len(JAX_NAMES))]
    warnings = read(*JAX_NAMES, *events).meta["warnings"]
    assert any("1,000,000 events" in warning for warning in warnings) == warns


def test_viztracer_functions_are_python_and_an_overflow_is_told():
    events = [x("f (a.py:1)", cat="FEE"), x("g (a.py:5)", cat="fee", ts=5)]
    about = {"version": "1.0", "overflow": True, "baseTimeNanoseconds": 1_700_000_000_000_000_000}
    trace = read(*events, viztracer_metadata=about)
    assert set(trace.spans["kind"]) == {"python"}
    assert trace.meta["format"] == "VizTracer"
    assert "--tracer_entries" in trace.meta["warnings"][0]
    assert trace.meta["unix_start_ns"] == 1_700_000_000_000_000_000
    assert read(*events, viztracer_metadata={"overflow": False}).meta["warnings"] == []


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("urEnqueueKernelLaunchWithArgsExp", "launch"),
        ("urEnqueueUSMMemcpy", "launch"),
        ("zeCommandListAppendMemoryCopy", "launch"),
        ("zeCommandQueueExecuteCommandLists", "launch"),
        ("urQueueFinish", "sync"),
        ("urEventWait", "sync"),
        ("zeEventHostSynchronize", "sync"),
        ("urEnqueueEventsWaitWithBarrier", "runtime"),
    ],
)
def test_calls_of_xpus(call, kind):
    assert table(read(x(call, cat="xpu_runtime")), "kind") == [(kind,)]


@pytest.mark.parametrize(
    ("category", "text", "kind"),
    [
        ("gpu_memcpy", "Memcpy M2D", "h2d"),
        ("gpu_memcpy", "Memcpy D2M", "d2h"),
        ("xpu_sync", "Event Sync", "annotation"),
        ("cuda_event", "cudaEventRecord", "annotation"),
        ("cuda_profiler_range", "range", "annotation"),
        ("mtia_ccp_events", "k", "kernel"),
        ("mlu_memcpy", "Memcpy HtoD", "h2d"),
    ],
)
def test_gpu_categories_of_other_devices(category, text, kind):
    event = x(text, cat=category, pid=2, tid=3, args={"device": 2, "stream": 3})
    assert table(read(event), "kind", "device", "stream") == [(kind, 2, 3)]


def test_calls_without_a_category_go_by_their_names_and_keep_their_args():
    trace = read(x("hipLaunchKernel", args={"correlation": 3, "grid": [1]}), x("custom_loop", 5))
    assert table(trace, "kind", "correlation") == [("launch", 3), ("host", -1)]
    assert trace.spans["args"][0] == {"correlation": 3, "grid": [1]}


def test_gpu_events_at_zero_without_length_are_lost_ones():
    lost = x("k", 0, 0, cat="kernel", pid=0, tid=7)
    trace = read(lost, x("k", 5, 0, cat="kernel", pid=0, tid=7))
    assert len(trace.spans) == 1
    assert trace.meta["skipped"] == 1


def test_spans_of_one_thread_that_cross_are_all_shown_and_told():
    trace = read(x("a", 0, 10), x("b", 5, 10), x("c", 20, 10), x("d", 22, 3), x("e", 0, 99, tid=2))
    assert len(trace.spans) == 5
    assert trace.meta["warnings"] == [
        "At least 1 spans overlap another one of their thread without lying inside it; "
        "all are shown."
    ]


@pytest.mark.parametrize("ts", ["1700000000000000.001", '"1700000000000000.001"'])
def test_a_clock_that_counts_from_1970_is_wall_time(ts):
    text = f'[{{"ph": "X", "name": "a", "ts": {ts}, "dur": 1}}]'
    assert open_trace(text.encode()).meta["unix_start_ns"] == 1_700_000_000_000_000_001


def test_kineto_writes_its_base_beside_the_events():
    trace = read(x(ts=5.5), schemaVersion=1, baseTimeNanoseconds=1_767_189_312_000_000_000)
    assert trace.meta["unix_start_ns"] == 1_767_189_312_000_005_500
