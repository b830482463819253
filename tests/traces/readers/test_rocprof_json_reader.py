"""rocprofv3 JSON: records and the tables that name them, whole and cut off."""

import json

import pytest

from traces import TraceError, open_trace

KINDS = [
    {"kind": "NONE", "operations": []},
    {"kind": "HIP_RUNTIME_API", "operations": ["hipMalloc", "hipLaunchKernel"]},
    {"kind": "MEMORY_COPY", "operations": ["NONE", "MEMORY_COPY_HOST_TO_DEVICE"]},
    {"kind": "MARKER_CORE_API", "operations": ["roctxMarkA", "roctxRangePushA"]},
]
AGENTS = [
    {"id": {"handle": 11}, "type": 1, "logical_node_type_id": 0},
    {"id": {"handle": 22}, "type": 2, "logical_node_type_id": 0},
    {"id": {"handle": 33}, "type": 2, "logical_node_type_id": 1},
]
SYMBOLS = [{"kernel_id": 16, "formatted_kernel_name": "add(float*)"}]


def record(start, end, correlation=1, **more):
    ids = {"internal": correlation, "external": 0}
    times = {"start_timestamp": start, "end_timestamp": end}
    return {"size": 96, "thread_id": 5, "correlation_id": ids} | times | more


def dispatch(start, end, correlation=1, kernel=16, agent=22, queue=1 << 63, **more):
    info = {"kernel_id": kernel, "agent_id": {"handle": agent}, "queue_id": {"handle": queue}}
    return record(start, end, correlation, dispatch_info=info, **more)


def document(strings=None, **arrays):
    markers = [{"key": 9, "value": "step 1"}]
    part = {
        "metadata": {"pid": 77},
        "agents": AGENTS,
        "kernel_symbols": SYMBOLS,
        "strings": strings or {"buffer_records": KINDS, "marker_api": markers},
        "buffer_records": arrays,
    }
    return json.dumps({"rocprofiler-sdk-tool": [part]}).encode()


def table(trace, *columns):
    return list(trace.spans[list(columns)].itertuples(index=False, name=None))


def test_kernels_copies_and_calls_keep_their_nanoseconds_and_find_their_launch():
    start = 1_507_843_974_724_237
    trace = open_trace(
        document(
            hip_api=[record(start, start + 9, 4, kind=1, operation=1)],
            kernel_dispatch=[dispatch(start + 20, start + 33, 4)],
            memory_copy=[
                record(
                    start + 40, start + 47, 5, kind=2, operation=1, bytes=64,
                    src_agent_id={"handle": 11}, dst_agent_id={"handle": 33},
                )
            ],
        )
    )  # fmt: skip
    assert table(trace, "ts_ns", "dur_ns", "kind", "name", "device", "pid") == [
        (0, 9, "launch", "hipLaunchKernel", -1, "77"),
        (20, 13, "kernel", "add(float*)", 0, "77"),
        (40, 7, "h2d", "Memcpy HtoD", 1, "77"),
    ]
    assert table(trace, "track")[2] == ("GPU 1 · copies",)
    assert trace.flows.to_dict("records") == [{"src": 0, "dst": 1, "kind": "launch"}]
    assert trace.meta["clock_start_ns"] == start


def test_streams_where_they_are_written_else_queues_by_order_of_use():
    queued = [dispatch(1, 2, queue=1 << 63), dispatch(3, 4, queue=7), dispatch(5, 6, queue=1 << 63)]
    assert open_trace(document(kernel_dispatch=queued)).spans["stream"].tolist() == [0, 1, 0]
    streamed = [dispatch(1, 2, stream_id={"handle": 3})]
    assert open_trace(document(kernel_dispatch=streamed)).spans["stream"].tolist() == [3]


def test_markers_are_annotations_with_their_text():
    rows = [record(1, 9, 9, kind=3, operation=1), record(10, 10, 8, kind=3, operation=0)]
    trace = open_trace(document(marker_api=rows))
    assert table(trace, "kind", "name") == [("annotation", "step 1"), ("annotation", "roctxMarkA")]


def test_numbers_that_no_table_knows_still_have_a_name():
    trace = open_trace(
        document(
            strings={"x": 1},
            hip_api=[record(1, 2, kind=50, operation=-3)],
            kernel_dispatch=[dispatch(3, 4, kernel=99, agent=98)],
        )
    )
    assert trace.spans["name"].tolist() == ["hip_api", "kernel 99"]
    assert trace.devices == [0]


@pytest.mark.parametrize("damage", [{"end_timestamp": 1}, {"start_timestamp": "x"}, {"kind": []}])
def test_a_damaged_record_costs_only_itself(damage):
    trace = open_trace(document(kernel_dispatch=[dispatch(5, 9), dispatch(10, 12) | damage]))
    assert len(trace.spans) == 1
    assert trace.meta["skipped"] == 1
    assert "lower bound" in trace.meta["warnings"][0]


def test_a_cut_off_file_is_shown_up_to_the_cut():
    text = document(kernel_dispatch=[dispatch(10 * n, 10 * n + 5) for n in range(1, 101)])
    trace = open_trace(text[: len(text) // 2])
    assert 30 < len(trace.spans) < 60
    assert set(trace.spans["name"]) == {"add(float*)"}
    assert trace.meta["skipped"] == 0
    assert trace.meta["cut_off"]
    assert "cut off" in trace.meta["warnings"][0]


def test_a_cut_off_file_still_knows_its_calls_and_markers():
    rows = [record(n, n + 5, 9, kind=3, operation=1) for n in range(1, 50)]
    text = document(hip_api=[record(1, 2, 4, kind=1, operation=0)], marker_api=rows)
    names = open_trace(text[:-200]).spans["name"].tolist()
    assert names.count("step 1") > 40
    assert names.count("hipMalloc") == 1


@pytest.mark.parametrize("text", [document(), b'{"rocprofiler-sdk-tool": 5}', document()[:60]])
def test_a_file_without_records_is_refused(text):
    with pytest.raises(TraceError, match="no trace events"):
        open_trace(text)
