"""Perfetto's protobuf traces: tracks, interning, clocks, devices, and damage."""

import subprocess
import sys
import tracemalloc
import zlib

import pytest

from tests.traces.readers.perfetto_files import BEGIN, COUNTER, END, INSTANT, Builder
from traces import TraceError, open_trace, read_traces
from traces.readers.protobuf_wire import packets


def table(trace, *columns):
    return list(trace.spans[list(columns)].itertuples(index=False, name=None))


def test_slices_of_a_thread_nest_and_keep_their_nanoseconds():
    file = Builder()
    file.thread(1, 10, 11, "main")
    file.event(1, BEGIN, 1001, "outer")
    file.event(1, BEGIN, 1003, "inner")
    file.event(1, END, 1010)
    file.event(1, END, 1020)
    file.event(1, INSTANT, 1005, "mark")
    trace = open_trace(file.data())
    assert table(trace, "name", "kind", "ts_ns", "dur_ns", "pid", "tid") == [
        ("outer", "host", 0, 19, "10", "11"),
        ("inner", "host", 2, 7, "10", "11"),
        ("mark", "instant", 4, 0, "10", "11"),
    ]
    assert trace.meta["format"] == "Perfetto"
    assert trace.meta["warnings"] == []


def test_descriptors_may_come_after_the_events():
    file = Builder()
    file.span(1, 0, 5, "work")
    file.thread(1, 10, 11, "main")
    file.process(2, 10, "server")
    assert open_trace(file.data()).spans["track"].tolist() == ["server · main 11"]


def test_interned_names_and_default_tracks_live_until_the_state_is_cleared():
    file = Builder()
    file.thread(7, 10, 11, "main")

    def interned(name, category, cleared):
        packet = file.packet(sequence_flags=int(cleared))
        row = packet.interned_data.event_names.add()
        row.iid, row.name = 1, name
        row = packet.interned_data.event_categories.add()
        row.iid, row.name = 1, category
        packet.trace_packet_defaults.track_event_defaults.track_uuid = 7

    for start, name in ((0, "first"), (10, "second")):
        interned(name, "cpu_op", cleared=True)
        event = file.packet(timestamp=start).track_event
        event.type, event.name_iid = BEGIN, 1
        event.category_iids.append(1)
        file.packet(timestamp=start + 5).track_event.type = END
    trace = open_trace(file.data())
    assert table(trace, "name", "kind", "tid") == [("first", "op", "11"), ("second", "op", "11")]


def test_sequences_do_not_share_their_names():
    first = Builder(1)
    first.thread(1, 10, 11, "main")
    row = first.packet().interned_data.event_names.add()
    row.iid, row.name = 1, "of the first"
    second = Builder(2)
    event = second.packet(timestamp=5).track_event
    event.type, event.name_iid, event.track_uuid = INSTANT, 1, 1
    assert open_trace(first.data() + second.data()).spans["name"].tolist() == [""]


def test_work_of_rocprofv3_is_placed_on_its_gpu_and_bound_to_its_launch():
    file = Builder()
    file.thread(1, 10, 11, "main")
    file.track(2, "COMPUTE AGENT [4] QUEUE [1] (GPU)")
    file.track(3, "COPY to AGENT [4] THREAD [0] (GPU)")
    file.span(1, 0, 50, "step", "marker_api")
    file.span(1, 0, 9, "hipLaunchKernel", "hip_api", corr_id=5)
    file.span(2, 20, 33, "add(float*)", "kernel_dispatch", agent=4, corr_id=5, queue=1)
    file.span(3, 40, 47, "MEMORY_COPY_HOST_TO_DEVICE", "memory_copy", corr_id=6)
    trace = open_trace(file.data())
    assert table(trace, "name", "kind", "device", "stream") == [
        ("step", "annotation", -1, -1),
        ("hipLaunchKernel", "launch", -1, -1),
        ("add(float*)", "kernel", 4, 1),
        ("MEMORY_COPY_HOST_TO_DEVICE", "h2d", 4, -1),
    ]
    assert trace.flows.to_dict("records") == [{"src": 1, "dst": 2, "kind": "launch"}]


def test_a_track_named_like_a_gpu_is_one_and_other_tracks_are_no_work():
    file = Builder()
    file.track(1, "GPU 0")
    file.track(2, "stream 7", parent=1)
    file.track(3, "requests")
    file.span(2, 0, 5, "gemm")
    file.span(2, 6, 8, "Memcpy DtoH")
    file.span(3, 0, 9, "request 1")
    trace = open_trace(file.data())
    assert table(trace, "name", "kind", "device", "stream") == [
        ("request 1", "annotation", -1, -1),
        ("gemm", "kernel", 0, 7),
        ("Memcpy DtoH", "d2h", 0, 7),
    ]


def test_counters_have_the_names_of_their_tracks():
    file = Builder()
    file.process(1, 10, "server")
    file.track(2, "depth", parent=1)
    file.event(2, COUNTER, 5).counter_value = 3
    file.event(2, COUNTER, 9).double_counter_value = 1.5
    rows = list(open_trace(file.data()).counters.itertuples(index=False, name=None))
    assert rows == [(0, "server", "depth", 3.0), (4, "server", "depth", 1.5)]


def test_clocks_are_brought_to_the_traces_own_by_snapshots():
    file = Builder()
    file.thread(1, 10, 11, "main")
    snapshot = file.packet().clock_snapshot
    rows = [(6, 1000, {}), (1, 1_700_000_000_000_001_000, {}), (3, 400, {})]
    rows.append((64, 7, {"is_incremental": True, "unit_multiplier_ns": 1000}))
    for clock, time, more in rows:
        row = snapshot.clocks.add()
        row.clock_id, row.timestamp = clock, time
        for key, value in more.items():
            setattr(row, key, value)
    file.event(1, INSTANT, 1000, "boottime")
    file.trace.packet[-1].timestamp_clock_id = 0
    for name, clock, time in (("monotonic", 3, 450), ("after 1 us", 64, 1), ("after 3 us", 64, 2)):
        file.event(1, INSTANT, time, name)
        file.trace.packet[-1].timestamp_clock_id = clock
    file.event(1, INSTANT, 5, "unknown clock")
    file.trace.packet[-1].timestamp_clock_id = 99
    trace = open_trace(file.data())
    assert table(trace, "name", "ts_ns") == [
        ("boottime", 0),
        ("monotonic", 50),
        ("after 1 us", 1000),
        ("after 3 us", 3000),
    ]
    assert trace.meta["unix_start_ns"] == 1_700_000_000_000_001_000
    assert trace.meta["skipped"] == 1


def many():
    file = Builder()
    file.thread(1, 10, 11, "main")
    for number in range(100):
        file.span(1, 10 * number, 10 * number + 5, f"span {number}")
    return file


def test_a_cut_off_file_keeps_the_packets_before_the_cut():
    data = many().data()
    trace = open_trace(data[: len(data) // 2])
    assert 30 < len(trace.spans) < 70
    assert trace.meta["cut_off"]
    assert "cut off" in trace.meta["warnings"][0]


def test_a_damaged_packet_costs_only_itself():
    parts = list(packets(many().data()))
    parts[21] = b"\x5a\x7f" + parts[21][2:]
    data = b"".join(b"\x0a" + bytes([len(part)]) + part for part in parts)
    trace = open_trace(data)
    assert len(trace.spans) == 99
    assert trace.meta["skipped"] >= 1


def test_bytes_that_are_not_utf8_are_replaced():
    file = Builder()
    file.thread(1, 10, 11, "mAin")
    file.process(2, 10, "serVer")
    file.span(1, 0, 5, "spAn", "cAt", Arg=1)
    data = file.data().replace(b"A", b"\xff").replace(b"V", b"\xfe")
    trace = open_trace(data)
    assert trace.spans["name"].tolist() == ["sp\N{REPLACEMENT CHARACTER}n"]
    assert trace.spans["args"].tolist() == [{"\N{REPLACEMENT CHARACTER}rg": 1}]
    assert trace.spans["track"].str.count("\N{REPLACEMENT CHARACTER}").tolist() == [2]


def packed(data):
    file = Builder()
    file.packet(timestamp=1).compressed_packets = data
    return file.data()


def test_compressed_packets_are_unpacked():
    assert len(open_trace(packed(zlib.compress(many().data()))).spans) == 100


def test_compressed_packets_are_held_to_the_cap_of_the_call():
    data = many().data()
    file = packed(zlib.compress(data, 9))
    assert len(open_trace(file, max_bytes=len(data)).spans) == 100
    with pytest.raises(TraceError, match="unpacks to more than"):
        open_trace(file, max_bytes=len(data) - 1)
    bomb = packed(zlib.compress(bytes(64 << 20), 9))
    tracemalloc.start()
    with pytest.raises(TraceError, match="more than 1 MiB"):
        open_trace(bomb, max_bytes=1 << 20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 << 20


@pytest.mark.parametrize("lost", [1, 4, 5, 20])
def test_a_compressed_packet_that_is_cut_off_is_noticed(lost):
    trace = open_trace(packed(zlib.compress(many().data())[:-lost]) + many().data())
    assert len(trace.spans) >= 100
    assert trace.meta["skipped"] >= 1
    assert any("damaged packets" in warning for warning in trace.meta["warnings"])


def test_a_file_without_track_events_is_refused():
    file = Builder()
    file.thread(1, 10, 11, "main")
    with pytest.raises(TraceError, match="no trace events"):
        open_trace(file.data())


def test_an_xla_profile_is_told_from_a_perfetto_trace():
    plane = b"\x08\x01\x12\x09/host:CPU\x1a\x02\x08\x01"
    with pytest.raises(TraceError, match="trace.json.gz"):
        open_trace(b"\x0a" + bytes([len(plane)]) + plane)


def test_the_package_is_loaded_only_for_such_a_file():
    code = "import sys, traces; sys.exit('perfetto' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("duration_us", [9 * 10**18, 1 << 60, -(1 << 63)])
def test_no_span_of_the_older_kind_ends_outside_of_the_clock(duration_us):
    file = Builder()
    file.event(1, INSTANT, 10, "mark")
    event = file.packet(timestamp=1000).track_event
    event.track_uuid, event.name = 5, "long"
    event.legacy_event.phase, event.legacy_event.duration_us = ord("X"), duration_us
    trace = open_trace(file.data())
    is_usable = duration_us < 0
    assert trace.meta["skipped"] == (not is_usable)
    assert trace.spans["name"].tolist() == ["mark"] + ["long"] * is_usable


@pytest.mark.parametrize("wall_ns", [(1 << 64) - 1, 10**19, 5 * 10**18])
@pytest.mark.parametrize("unit", [1, 10**6, (1 << 64) - 1])
def test_an_absurd_wall_clock_is_not_believed(wall_ns, unit):
    def file(ns, multiplier):
        built = Builder()
        snapshot = built.packet().clock_snapshot
        for number, time, by in ((6, 5, 1), (1, ns, multiplier)):
            clock = snapshot.clocks.add()
            clock.clock_id, clock.timestamp, clock.unit_multiplier_ns = number, time, by
        built.span(5, 10, 20, "work")
        return built.data()

    trace = read_traces([file(wall_ns, unit), file(1, 1)])
    assert trace.spans["ts_ns"].tolist() == [0, 0]
    assert any("no common clock" in warning for warning in trace.meta["warnings"])
