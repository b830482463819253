"""Plain tables of spans: units in the header, separators, tracks, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces import TraceError, device_activity, open_trace


def read(text):
    return open_trace(text.encode())


def table(trace, *columns):
    return list(trace.spans[list(columns)].itertuples(index=False, name=None))


@pytest.mark.parametrize(
    "text",
    [
        "name,start_us,duration_us,track\nprepare,1.5,2.25,worker\n",
        "Name;Start (ms);Duration (us);Track\nprepare;0.0015;2.25;worker\n",
        "name\tbegin [ns]\tend [ns]\tlane\nprepare\t1500\t3750\tworker\n",
        "\ufeffname,ts us,dur µs,thread\nprepare,1.5,2.25,worker\n",
        "\ufeffname,start_us,duration_us,track\r\nprepare,1.5,2.25,worker\r\n",
        "start_s,duration_ms,name,track\n0.0000015,0.00225,prepare,worker\n",
    ],
)
def test_units_stand_in_the_header_and_columns_in_any_order(text):
    trace = read(text)
    assert table(trace, "name", "dur_ns", "kind", "track") == [("prepare", 2250, "host", "worker")]
    assert trace.meta["clock_start_ns"] == 1500


@given(st.integers(-(10**18), 10**18), st.integers(0, 10**18))
def test_no_nanosecond_is_lost(start, duration):
    trace = read(f"name,start_s,duration_ns\na,0,0\nb,{_decimal(start)},{duration}\n")
    found = trace.spans.set_index("name").loc["b"]
    assert found["ts_ns"] + trace.meta["clock_start_ns"] == start
    assert found["dur_ns"] == duration


def _decimal(ns):
    sign, ns = "-" if ns < 0 else "", abs(ns)
    return f"{sign}{ns // 10**9}.{ns % 10**9:09}"


def test_tracks_named_like_gpus_are_devices_and_names_say_what_ran():
    trace = read(
        "name,start_us,duration_us,track\n"
        "gemm,0,10,GPU 0\nMemcpy HtoD,5,10,GPU 0 stream 7\nmemset,20,5,cuda:1\n"
        "cudaLaunchKernel,0,1,main\n"
    )
    assert table(trace, "name", "kind", "device", "stream") == [
        ("gemm", "kernel", 0, -1),
        ("cudaLaunchKernel", "launch", -1, -1),
        ("Memcpy HtoD", "h2d", 0, 7),
        ("memset", "memset", 1, -1),
    ]
    assert [device.busy_ns for device in device_activity(trace)] == [15_000, 5_000]


def test_a_column_kind_decides_where_it_fits_the_track():
    trace = read(
        "name,start_us,duration_us,track,kind\n"
        "a,0,1,GPU 0,d2h\nb,1,1,main,sync\nc,2,1,main,kernel\nd,3,1,main,nonsense\n"
    )
    assert trace.spans["kind"].tolist() == ["d2h", "sync", "host", "host"]


@pytest.mark.parametrize(
    "row",
    ["b,soon,1", "b,1,-1", "b,1", "b,nan,1", "b,1e99,1", "b,inf,1"]
    + ["b,1_000,1", "b,１０,1", "b,²,1", "b,1e99999999999999999999,1"],
)
def test_rows_without_usable_times_are_counted(row):
    trace = read(f"name,start_us,duration_us\na,0,1\n{row}\n")
    assert trace.spans["name"].tolist() == ["a"]
    assert trace.meta["skipped"] == 1


@pytest.mark.parametrize(
    ("header", "lacks"),
    [
        ("name,start,duration_us", "lacks the unit of start"),
        ("name,start_us,duration", "lacks the unit of duration"),
        ("name,start_us,track", "lacks a column end"),
    ],
)
def test_a_table_without_units_or_columns_is_refused_with_what_it_lacks(header, lacks):
    with pytest.raises(TraceError, match=lacks) as refusal:
        read(f"{header}\na,1,2\n")
    assert "name,start_us,duration_us,track" in str(refusal.value)


def test_other_tables_are_refused_with_the_columns_that_are_wanted():
    with pytest.raises(TraceError, match="start_us"):
        read("city,country,people\nOslo,Norway,700000\n")


@given(st.lists(st.integers(0, 10**9 - 1), min_size=1, unique=True))
def test_no_two_numbers_become_one_device(numbers):
    rows = "".join(f"k,{n},1,GPU {number}\n" for n, number in enumerate(numbers))
    trace = read("name,start_us,duration_us,track\n" + rows)
    assert trace.spans["device"].tolist() == numbers


def test_a_number_that_is_too_long_is_no_device():
    trace = read(f"name,start_us,duration_us,track\nk,1,1,GPU {'1' * 10}\n")
    assert trace.spans["device"].tolist() == [-1]
