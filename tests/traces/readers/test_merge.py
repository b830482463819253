"""Several files of one run: one clock, and nothing of one taken for another's."""

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.traces.readers.test_rocprof_csv_reader import CALLS, KERNELS, START
from traces import (
    TraceError,
    device_activity,
    find_gaps,
    open_trace,
    read_traces,
    summarize,
    trace_bytes,
)
from traces.__main__ import main
from traces.summary import as_text

BASE = 1_767_189_312_000_000_000


def rank(number, base=BASE, start=0.0, device=0, **keys):
    """A Kineto file of one rank: a launch, and its kernel 10 µs later."""
    placed = {"device": device, "stream": 7, "correlation": 5}
    events = [
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": start, "dur": 2,
         "pid": 100, "tid": 1, "args": {"correlation": 5}},
        {"ph": "X", "cat": "kernel", "name": "gemm", "ts": start + 10, "dur": 5,
         "pid": device, "tid": 7, "args": placed},
        {"ph": "C", "name": "depth", "ts": start, "pid": 100, "args": {"value": number}},
    ]  # fmt: skip
    info = {"schemaVersion": 1, "distributedInfo": {"rank": number}}
    info |= {"baseTimeNanoseconds": base} if base else {}
    return json.dumps(info | keys | {"traceEvents": events}).encode()


def table(trace, *columns):
    return list(trace.spans[list(columns)].itertuples(index=False, name=None))


def test_ranks_stand_on_wall_time_whatever_each_files_clock_counts_from():
    trace = read_traces([rank(0), rank(1, BASE - 7000, 10.0)])
    assert table(trace, "ts_ns", "track", "name", "device") == [
        (0, "rank 0 · process 100 · thread 1", "cudaLaunchKernel", -1),
        (3000, "rank 1 · process 100 · thread 1", "cudaLaunchKernel", -1),
        (10_000, "rank 0 · GPU 0 · stream 7", "gemm", 0),
        (13_000, "rank 1 · GPU 0 · stream 7", "gemm", 1),
    ]
    assert trace.counters["ts_ns"].tolist() == [0, 3000]
    assert trace.meta["unix_start_ns"] == BASE
    assert trace.meta["warnings"] == []


def test_each_kernel_keeps_its_own_launch_though_all_ids_are_the_same():
    trace = read_traces([rank(0), rank(1), rank(2)])
    tracks = trace.spans["track"].str.slice(0, 6)
    assert [(tracks[a], tracks[b]) for a, b, _ in trace.flows.itertuples(index=False)] == [
        (f"rank {n}",) * 2 for n in range(3)
    ]
    assert len(set(trace.spans["pid"])) == 6


def test_devices_keep_their_numbers_where_no_two_ranks_share_one():
    assert read_traces([rank(0, device=4), rank(1, device=6)]).devices == [4, 6]
    assert read_traces([rank(0, device=4), rank(1, device=4)]).devices == [0, 1]


def test_figures_of_a_rank_are_those_of_its_file():
    files = [rank(0), rank(1, start=500.0)]
    alone = [device_activity(open_trace(file))[0] for file in files]
    together = device_activity(read_traces(files))
    assert [a.busy_ns for a in together] == [a.busy_ns for a in alone]
    assert find_gaps(read_traces(files)) == []


def test_files_without_a_common_clock_begin_together_and_that_is_told():
    trace = read_traces([rank(0), rank(1, base=None, start=10.0**9)])
    assert trace.spans["ts_ns"].tolist() == [0, 0, 10_000, 10_000]
    (warning,) = trace.meta["warnings"]
    assert "no common clock" in warning


@pytest.mark.parametrize("apart_s", [3_601, 50_000_000])
def test_files_recorded_far_apart_begin_together_and_that_is_told(apart_s):
    trace = read_traces([rank(0), rank(1, base=BASE + apart_s * 10**9)])
    assert trace.spans["ts_ns"].tolist() == [0, 0, 10_000, 10_000]
    (warning,) = trace.meta["warnings"]
    assert "more than an hour apart" in warning


@pytest.mark.parametrize("missing", [False, True])
def test_of_several_files_the_one_that_cannot_be_read_is_named(tmp_path, capsys, missing):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_bytes(rank(0))
    if not missing:
        bad.write_text("{}")
    for command in (["inspect"], ["whatif"], ["compare"]):
        assert main([*command, str(good), str(bad)]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.count("bad.json") == 1 and "good.json" not in line
    assert main(["inspect", str(bad)]) == 2
    assert ("bad.json" in capsys.readouterr().err) == missing


def test_files_of_one_kind_that_tell_no_wall_time_share_their_own_clock_if_it_fits():
    near = read_traces([rank(0, None, 0.0), rank(1, None, 50.0)])
    assert near.spans["ts_ns"].tolist() == [0, 10_000, 50_000, 60_000]
    far = read_traces([rank(0, None, 0.0), rank(1, None, 4e9)])
    assert far.spans["ts_ns"].tolist() == [0, 0, 10_000, 10_000]


def test_the_tables_of_one_rocprof_run_are_one_recording():
    kernels = KERNELS + f'"KERNEL_DISPATCH",1,2,69,1,16,"k",14,{START + 50},{START + 60}\n'
    calls = CALLS + f'"HIP_API","hipLaunchKernel",197,69,14,{START},{START + 9}\n'
    trace = read_traces([kernels.encode(), calls.encode()], ["kernels.csv", "calls.csv"])
    assert table(trace, "ts_ns", "name", "device") == [(0, "hipLaunchKernel", -1), (50, "k", 1)]
    assert trace.flows.to_dict("records") == [{"src": 0, "dst": 1, "kind": "launch"}]


def test_files_that_tell_no_rank_are_called_by_name_and_warnings_say_whose():
    plain = b'[{"ph":"X","name":"a","ts":1},{"ph":"X","name":"?"}]'
    trace = read_traces([plain, plain], ["x.json", "x.json"])
    assert [track.split(" · ")[0] for track in trace.spans["track"]] == ["x.json (1)", "x.json (2)"]
    assert [warning[:10] for warning in trace.meta["warnings"]] == ["x.json (1)", "x.json (2)"]
    assert trace.meta["skipped"] == 2


def test_one_file_is_read_as_ever_and_none_is_an_error():
    assert read_traces([rank(3)]).spans.equals(open_trace(rank(3)).spans)
    with pytest.raises(ValueError, match="no trace"):
        read_traces([])
    with pytest.raises(TraceError, match="empty"):
        read_traces([rank(0), b""])


def test_ranks_that_were_merged_into_one_file_keep_their_launches():
    events = []
    for number in (0, 1):
        for event in json.loads(rank(number, device=number))["traceEvents"][:2]:
            events.append(event | {"pid": f"[TP{number:02}] {event['pid']}"})
    trace = open_trace(json.dumps({"traceEvents": events}).encode())
    pids = trace.spans["pid"].str.slice(0, 6)
    assert [(pids[a], pids[b]) for a, b, _ in trace.flows.itertuples(index=False)] == [
        ("[TP00]", "[TP00]"),
        ("[TP01]", "[TP01]"),
    ]
    assert trace.devices == [0, 1]


def test_the_command_line_takes_several_files(tmp_path):
    paths = []
    for number in (0, 1):
        paths.append(tmp_path / f"{number}.json")
        paths[-1].write_bytes(rank(number))
    command = [sys.executable, "-m", "traces", "inspect", *map(str, paths), "--json"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert [device["id"] for device in json.loads(result.stdout)["devices"]] == [0, 1]


def test_the_command_line_refuses_what_is_larger_than_it_was_told(tmp_path):
    path = tmp_path / "long.json"
    path.write_bytes(b"[" + b" " * (2 << 20))
    command = [sys.executable, "-m", "traces", "inspect", str(path), "--max-mib", "1"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert "more than 1 MiB" in result.stderr


@settings(max_examples=settings.default.max_examples // 4)
@given(
    st.dictionaries(
        st.sampled_from(
            ["format", "name", "skipped", "warnings", "cut_off", "is_part", "file", "files"]
            + ["clock_start_ns", "unix_start_ns", "run"]
        ),
        st.sampled_from([None, "x", 5, -5, 10**18, 1e300, [], ["a"], [1], {"a": 1}, True]),
    )
)
def test_what_a_dump_says_of_itself_is_not_taken_on_trust(meta):
    """Whatever its meta holds, it opens alone and beside another file, and can be told of."""
    dump = json.loads(trace_bytes(open_trace(rank(0)), compressed=False))
    dump["overlapLab"]["meta"] = meta
    text = json.dumps(dump).encode()
    assert as_text(summarize(open_trace(text)))
    assert as_text(summarize(read_traces([text, rank(1)])))
