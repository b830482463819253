"""A run as a trace: the lanes, what belongs to what, and what waited for what."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import configure, execute
from engine.device.api import HostSpan
from engine.oplog import OpKind, StreamKind
from engine.results.dump import build_trace, waits
from engine.results.service import COPIED
from tests.engine.device.bench import kernel, on_device, on_host, virtual


def event_edges(log):
    """(first kernel or copy, second one) for every "event" edge, by name."""
    return [(log.ops[a].name, log.ops[b].name) for a, b, kind in waits(log) if kind == "event"]


def run_of(**options):
    return execute(configure("async", compute=False, steps=4, **options))


# ------------------------------------------------------------ what waits for what


def bench():
    device = virtual()
    return device, device.stream("a"), device.stream("b"), device.event("e")


def test_an_edge_goes_from_the_work_behind_a_record_to_the_work_behind_the_wait():
    device, a, b, event = bench()
    for name in ("a1", "a2"):
        a.launch(kernel(name))
    a.record(event)
    a.launch(kernel("a3"))
    b.launch(kernel("b1"))
    b.wait(event)
    for name in ("b2", "b3"):
        b.launch(kernel(name))
    assert event_edges(device.log) == [("a2", "b2")]


def test_a_wait_for_an_event_never_recorded_or_of_an_idle_stream_has_no_edge():
    device, a, b, event = bench()
    b.wait(event)
    a.record(event)
    b.wait(event)
    b.launch(kernel("b1"))
    assert waits(device.log) == []


def test_a_wait_sees_the_record_of_its_time():
    device, a, b, event = bench()
    a.launch(kernel("a1"))
    a.record(event)
    b.wait(event)
    a.launch(kernel("a2"))
    a.record(event)
    b.launch(kernel("b1"))
    assert event_edges(device.log) == [("a1", "b1")]


def test_an_event_passes_waits_of_its_stream_on():
    device, a, b, event = bench()
    c, second = device.stream("c"), device.event("second")
    a.launch(kernel("a1"))
    a.record(event)
    b.wait(event)
    b.record(second)
    c.wait(second)
    c.launch(kernel("c1"))
    assert event_edges(device.log) == [("a1", "c1")]


def test_several_waits_make_several_edges_and_one_event_twice_makes_one():
    device, a, b, event = bench()
    c, other = device.stream("c"), device.event("other")
    for stream, marker in ((a, event), (b, other)):
        stream.launch(kernel(f"{stream.info.name}1"))
        stream.record(marker)
    for marker in (event, other, event):
        c.wait(marker)
    c.launch(kernel("c1"))
    assert event_edges(device.log) == [("a1", "c1"), ("b1", "c1")]


def test_the_default_streams_barrier_is_an_edge_of_its_own():
    device = virtual()
    default = device.stream("default", StreamKind.DEFAULT)
    blocking = device.stream("blocking", StreamKind.BLOCKING)
    blocking.launch(kernel("first"))
    default.launch(kernel("second"))
    assert waits(device.log) == [(0, 1, "barrier")]


def test_an_event_recorded_on_the_default_stream_leads_to_the_blocking_work_before_it():
    device = virtual()
    default = device.stream("default", StreamKind.DEFAULT)
    blocking = device.stream("blocking", StreamKind.BLOCKING)
    free, event = device.stream("free"), device.event("e")
    blocking.launch(kernel("before"))
    default.record(event)
    free.wait(event)
    free.launch(kernel("behind"))
    assert event_edges(device.log) == [("before", "behind")]


def test_the_loops_events_are_the_edges_of_the_article():
    log = run_of().device.log
    edges = {
        (f"{log.ops[a].name} {log.ops[a].step}", f"{log.ops[b].name} {log.ops[b].step}")
        for a, b, _ in waits(log)
        if log.ops[b].step == 2
    }
    assert edges == {
        ("sample 0", "h2d tokens 2"), ("h2d block_table 2", "carry 2"),
        ("d2h out 0", "carry 2"), ("sample 2", "d2h out 2"),
    }  # fmt: skip


# ------------------------------------------------------------------------- spans


def test_every_operation_has_a_launch_and_a_lane():
    result = run_of()
    spans, flows = result.trace.spans, result.trace.flows
    streams = {stream.index: stream.name for stream in result.device.log.streams}
    ops = [op for op in result.device.log if op.kind in (OpKind.KERNEL, OpKind.H2D, OpKind.D2H)]
    launches = flows[flows["kind"] == "launch"]
    assert len(launches) == len(ops)
    assert (spans.loc[launches["src"], "correlation"].to_numpy()
            == spans.loc[launches["dst"], "correlation"].to_numpy()).all()  # fmt: skip
    by_seq = spans[spans["device"] == 0].set_index("correlation")
    for op in ops:
        row = by_seq.loc[op.seq]
        assert (row["ts_ns"], row["dur_ns"]) == (op.start_ns, op.end_ns - op.start_ns)
        assert (row["track"], row["name"]) == (streams[op.stream], op.name)
        assert (row["step"], row["slot"]) == (op.step, op.slot)


def test_waits_of_the_host_are_told_from_its_work():
    spans = run_of().trace.spans
    host = spans[spans["track"] == "host"]
    assert set(host["kind"]) == {"host", "sync", "launch"}
    waiting = host[host["kind"] == "sync"]
    assert {args["waits_for"] for args in waiting["args"]} == {"event"}


def test_a_cause_given_to_a_span_is_kept():
    spans = [HostSpan("wait", 0, 5, cause="through the host"), HostSpan("read", 5, 9)]
    trace = build_trace(virtual().log, spans, [], {})
    assert trace.spans["args"].tolist() == [{"cause": "through the host"}, None]


def test_copies_know_their_bytes_and_launches_their_line():
    device = virtual()
    device.stream("a").copy(on_device(device), on_host(device), 3)
    device.log.ops[0].line = 7
    device.finish()
    args = build_trace(device.log, [], [], {}).spans.set_index("kind")["args"]
    assert (args["h2d"], args["launch"]) == ({"bytes": 24}, {"line": 7})


def test_counters_and_the_configuration_come_along():
    result = run_of(seed=3)
    trace = result.trace
    names = {"tokens in flight", "KV blocks in use", "requests waiting", *COPIED.values()}
    assert set(trace.counters["name"]) == names
    assert trace.meta["run"] == result.config.describe()
    assert trace.meta["run"]["seed"] == 3


@pytest.fixture(scope="module")
def whole():
    return execute(configure("async", compute=False, steps=4))


@settings(max_examples=settings.default.max_examples // 2)
@given(at_ns=st.integers(0, 150_000_000))
def test_a_frozen_run_is_a_trace_that_ends_where_it_was_frozen(whole, at_ns):
    frozen = execute(replace(whole.config, stop_at_ns=at_ns))
    spans = frozen.trace.spans
    ends = spans["ts_ns"] + spans["dur_ns"]
    assert ends.empty or ends.max() <= at_ns
    assert frozen.stopped == (at_ns < whole.wall_ns)


@pytest.mark.parametrize("at_ns", [0, 1])
def test_a_run_frozen_at_its_very_start_is_a_trace(at_ns):
    config = replace(configure("async", compute=False, steps=4), stop_at_ns=at_ns)
    assert execute(config).trace.spans["name"].tolist() == ["schedule"]
