"""Every figure of how active a device was tells the same, also where operations take no time.

A profiler writes a memset or a tiny kernel with a length of 0 now and then: it takes no time, yet
the span of the device's work reaches to it.
"""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces import Trace, compare, device_activity, find_gaps, open_trace, summarize
from traces.__main__ import main
from traces.comparison import as_json
from traces.observed import idle_of
from traces.summary import as_text
from traces.units import percent

operations = st.tuples(
    st.integers(0, 1),
    st.integers(0, 60),
    st.sampled_from([0, 0, 0, 1, 2, 9]),
    st.sampled_from(["kernel", "h2d", "memset"]),
)


def trace_of(work):
    rows = [
        {"device": device, "ts_ns": at, "dur_ns": ns, "kind": kind, "stream": 7, "track": "t"}
        for device, at, ns, kind in work
    ]
    return Trace.from_rows(rows, meta={"format": "other"})


@given(st.lists(operations, min_size=1, max_size=8))
def test_the_gaps_and_the_busy_time_fill_the_span_and_every_figure_says_so(work):
    trace = trace_of(work)
    gaps, summary = find_gaps(trace), summarize(trace)
    for device, told in zip(device_activity(trace), summary["devices"], strict=True):
        own = [(at, at + ns) for number, at, ns, _ in work if number == device.device]
        span = max(end for _, end in own) - min(start for start, _ in own)
        busy = len({t for start, end in own for t in range(start, end)})
        assert (device.span_ns, device.busy_ns, device.idle_ns) == (span, busy, span - busy)
        assert sum(gap.ns for gap in gaps if gap.device == device.device) == span - busy
        assert told["active"] == told["observed"]["active"] == (busy / span if span else 0)
        assert told["busy_ms"] == told["observed"]["busy_ms"] == busy / 1e6
        assert told["idle_ms"] == told["observed"]["idle_ms"] == (span - busy) / 1e6
        assert f"GPU {device.device}    active {percent(told['active'])} " in as_text(summary)


@given(st.lists(operations.map(lambda row: (0, *row[1:])), min_size=1, max_size=8))
def test_a_comparison_of_one_device_says_the_same(work):
    trace = trace_of(work)
    (told,) = summarize(trace)["devices"]
    assert as_json(compare(trace, trace))["a"]["active"] == told["active"]


@given(st.lists(operations, min_size=1, max_size=8))
def test_active_and_idle_are_the_two_shares_of_a_base(work):
    trace = trace_of(work)
    for device in idle_of(trace, device_activity(trace), find_gaps(trace)):
        assert device.active + device.share == pytest.approx(1 if device.of_ns else 0)


def kineto(at_us, us):
    args = {"device": 0, "stream": 7}
    where = {"cat": "kernel", "pid": 0, "tid": 7, "args": args}
    return {"ph": "X", "name": "k", "ts": at_us, "dur": us} | where


def csv_of(rows):
    lines = (f"k,{at},{us},GPU 0 stream 7" for at, us in rows)
    return "\n".join(["name,start_us,duration_us,track", *lines]).encode()


def rocprof_of(rows):
    head = "Kind,Agent_Id,Queue_Id,Kernel_Name,Correlation_Id,Start_Timestamp,End_Timestamp"
    lines = (
        f"KERNEL_DISPATCH,Agent 1,1,k,{n},{1000 * at},{1000 * (at + us)}"
        for n, (at, us) in enumerate(rows, 1)
    )
    return "\n".join([head, *lines]).encode()


@pytest.mark.parametrize(
    "file_of",
    [lambda rows: json.dumps([kineto(*row) for row in rows]).encode(), csv_of, rocprof_of],
    ids=["Kineto JSON", "plain CSV", "rocprofv3 CSV"],
)
@pytest.mark.parametrize(
    ("rows", "active"),
    [
        ([(100, 50), (300, 0)], 0.25),
        ([(100, 0), (250, 50)], 0.25),
        ([(100, 0), (200, 60), (400, 0)], 0.2),
        ([(100, 0)], 0),
        ([(100, 0), (200, 0)], 0),
    ],
)
def test_an_operation_without_a_length_at_an_edge_is_idle_time_in_every_format(
    file_of, rows, active, tmp_path, capsys
):
    path = tmp_path / "trace"
    path.write_bytes(file_of(rows))
    (device,) = summarize(open_trace(path))["devices"]
    assert device["active"] == device["observed"]["active"] == active
    assert main(["inspect", str(path), "--min-active", "0.95"]) == 1
    assert f"active {percent(active)} of the time" in capsys.readouterr().err
