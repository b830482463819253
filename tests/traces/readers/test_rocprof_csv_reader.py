"""rocprofv3 CSV: the tables of kernels, copies and calls, of every version."""

import pytest

from traces import TraceError, open_trace

KERNELS = (
    '"Kind","Agent_Id","Queue_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name",'
    '"Correlation_Id","Start_Timestamp","End_Timestamp"\n'
)
COPIES = (
    '"Kind","Direction","Source_Agent_Id","Destination_Agent_Id","Correlation_Id",'
    '"Start_Timestamp","End_Timestamp"\n'
)
CALLS = (
    '"Domain","Function","Process_Id","Thread_Id","Correlation_Id","Start_Timestamp",'
    '"End_Timestamp"\n'
)
START = 8_819_330_200_067_564


def read(text):
    return open_trace(text.encode())


def table(trace, *columns):
    return list(trace.spans[list(columns)].itertuples(index=False, name=None))


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_kernels_with_commas_in_their_names(line_end):
    rows = (
        KERNELS + f'"KERNEL_DISPATCH",1,2,69,1,16,"void add<float>(float*, int)",14,{START},'
        f'{START + 44}\n"KERNEL_DISPATCH","Agent 4",1,69,5,16,"x",15,{START + 50},{START + 51}\n'
    )
    trace = read(rows.replace("\n", line_end))
    assert table(trace, "ts_ns", "dur_ns", "kind", "name", "device", "stream", "correlation") == [
        (0, 44, "kernel", "void add<float>(float*, int)", 1, 2, 14),
        (50, 1, "kernel", "x", 4, 1, 15),
    ]


def test_a_stream_is_preferred_to_a_queue():
    header = KERNELS.replace('"Queue_Id"', '"Queue_Id","Stream_Id"')
    trace = read(header + f'"KERNEL_DISPATCH","GPU 0",2,6,69,1,16,"k",14,{START},{START + 4}\n')
    assert table(trace, "device", "stream") == [(0, 6)]


@pytest.mark.parametrize(
    ("direction", "kind", "device"),
    [
        ("HOST_TO_DEVICE", "h2d", 2),
        ("MEMORY_COPY_HOST_TO_DEVICE", "h2d", 2),
        ("DEVICE_TO_HOST", "d2h", 1),
        ("DEVICE_TO_DEVICE", "copy", 2),
        ("HOST_TO_HOST", "runtime", -1),
    ],
)
def test_copies_belong_to_the_gpu_at_one_end(direction, kind, device):
    trace = read(COPIES + f'"MEMORY_COPY","{direction}",1,2,7,{START},{START + 9}\n')
    assert table(trace, "kind", "device") == [(kind, device)]


def test_calls_and_markers_run_on_their_thread():
    trace = read(
        CALLS + f'"HIP_RUNTIME_API","hipLaunchKernel",197,198,1,{START},{START + 9}\n'
        f'"HIP_RUNTIME_API","hipStreamSynchronize",197,198,2,{START + 10},{START + 19}\n'
        f'"MARKER_CORE_API","step 1",197,198,3,{START},{START + 20}\n'
    )
    assert table(trace, "kind", "name", "pid", "tid") == [
        ("annotation", "step 1", "197", "198"),
        ("launch", "hipLaunchKernel", "197", "198"),
        ("sync", "hipStreamSynchronize", "197", "198"),
    ]


@pytest.mark.parametrize(
    "row",
    [
        '"HIP","f",1,1,1,soon,9',
        '"HIP","f",1,1,1,9,5',
        '"HIP","f"',
        '"HIP","f",1,1,1,0,0',
        '"HIP","f",1,1,1,²,9',
        '"HIP","f",1,1,1,１,9',
        '"HIP","f",1,1,1,1_0,90',
        '"HIP","f",1,1,1,-1,9',
        f'"HIP","f",1,1,1,1,{"9" * 5000}',
    ],
)
def test_a_row_without_usable_times_is_counted(row):
    trace = read(CALLS + f'"HIP","f",1,1,1,5,9\n{row}\n')
    assert len(trace.spans) == 1
    assert trace.meta["skipped"] == 1


def test_a_table_without_rows_is_refused():
    with pytest.raises(TraceError, match="no trace events"):
        read(CALLS)
