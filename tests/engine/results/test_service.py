"""Service figures: worked out by hand on small cases, and held against the trace of real runs."""

from bisect import bisect_right
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import configure, execute
from engine.device.api import HostSpan
from engine.oplog import OpKind
from engine.requests.request import Request
from engine.results.service import (
    COPIED,
    QUEUE,
    arrivals_until,
    percentile,
    queue_counter,
    step_times,
    waiting_times,
)
from engine.workloads.presets import WORKLOADS
from traces import open_trace, write_trace

MS = 1_000_000


def times(steps, begun=10, chosen=2, committed=9):
    """Step s begins at `begun` x s ms, chooses for `chosen` ms, commits after `committed` ms."""
    spans = []
    for step in range(steps):
        at = step * begun * MS
        spans.append(HostSpan("schedule", at, at + chosen * MS, step))
        spans.append(HostSpan("update state", at + 3 * MS, at + committed * MS, step))
    return step_times(spans)


def request(arrival, admitted, committed_at, finished=True):
    made = Request("r", [1], 9, arrival_step=arrival, admitted_step=admitted, finished=finished)
    made.committed_at = committed_at
    return made


def test_waiting_times_of_two_requests_by_hand():
    """The first arrives at 0 ms, has tokens at 19, 29 and 49 ms; the second at 20, one at 39."""
    requests = [request(0, 1, [1, 2, 4]), request(2, 3, [3])]
    assert waiting_times(requests, times(5)) == {
        "ttft_median_ms": 19.0,
        "ttft_p99_ms": 19.0,
        "inter_token_median_ms": 15.0,
        "inter_token_p99_ms": 20.0,
        "end_to_end_median_ms": 34.0,
        "end_to_end_p99_ms": 49.0,
    }


def test_a_request_let_in_before_its_step_arrives_when_it_is_let_in():
    early = waiting_times([request(900, 2, [2])], times(4))
    assert early["ttft_median_ms"] == 9.0


def test_a_request_that_has_not_ended_has_no_end_to_end_time():
    figures = waiting_times([request(0, 0, [0, 1], finished=False)], times(3))
    assert figures["ttft_median_ms"] == 9.0 and figures["end_to_end_median_ms"] is None
    assert set(waiting_times([request(0, 0, [])], times(1)).values()) == {None}


def test_the_queue_by_hand():
    assert queue_counter([0, 0, 0, 2], [0, 0, 1, 3], times(5)) == [
        (0, QUEUE, 3),
        (2 * MS, QUEUE, 1),
        (12 * MS, QUEUE, 0),
        (20 * MS, QUEUE, 1),
        (32 * MS, QUEUE, 0),
    ]


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 5)), max_size=20))
def test_the_queue_is_what_has_arrived_and_not_joined(delays):
    arrived = sorted(arrival for arrival, _ in delays)
    joined = sorted(arrival + wait for arrival, wait in delays)
    steps = times(18)
    counter = queue_counter(arrived, joined, steps)
    assert all(before != after for (_, _, before), (_, _, after) in pairwise(counter))
    instants = [ns for ns, _, _ in counter]
    for step in range(18):
        now = counter[bisect_right(instants, steps.chosen[step]) - 1][2]
        assert now == sum(a <= step for a in arrived) - sum(j <= step for j in joined) >= 0


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=40), st.floats(0.01, 1))
def test_a_percentile_is_a_value_that_enough_others_do_not_exceed(values, share):
    found = percentile(values, share)
    assert found in values
    assert sum(value <= found for value in values) >= share * len(values)
    assert sum(value < found for value in values) < share * len(values)


@pytest.mark.parametrize(
    ("workload", "changes", "expected"),
    [
        ("chat", {}, 10),
        ("chat", {"requests": 4}, 4),
        ("chat", {"steps": 9}, 7),
        ("chat", {"steps": 9, "requests": 40}, 40),
        ("churn", {}, 11),
        ("churn", {"steps": 9}, 11),
    ],
)
def test_arrivals_are_those_of_the_workload_up_to_the_last_step(workload, changes, expected):
    config = configure("async", workload=workload, compute=False, **changes)
    assert len(arrivals_until(20, config, known=7)) == expected


@pytest.mark.parametrize("mode", ["sync", "async", "static-batching"])
def test_a_runs_figures_agree_with_its_trace(mode):
    result = execute(configure(mode, workload="chat-bursts", compute=False))
    service, trace = result.service, result.trace
    ops = trace.spans[trace.spans["kind"].isin(["h2d", "d2h"])]
    moved = ops["args"].map(lambda args: args["bytes"]).groupby(ops["kind"]).sum()
    assert (service.h2d_bytes, service.d2h_bytes) == (moved["h2d"], moved["d2h"])
    counters = trace.counters.groupby("name")["value"]
    assert service.queue_peak_requests == counters.max()[QUEUE]
    assert service.kv_peak_blocks == counters.max()["KV blocks in use"]
    assert service.inflight_peak_tokens == result.figures.peak["inflight_tokens"]
    assert counters.last()[QUEUE] == 0
    tokens = sum(request.committed for request in result.requests)
    assert service.throughput_tokens_per_s * result.wall_ns / 1e9 == pytest.approx(tokens)
    assert service.requests_done == len(result.requests) == 36


def copied(trace):
    """{kind: [(ns, bytes so far)]} from the trace's counters, and the same worked out from its
    spans wherever a copy ends."""
    counted, expected = {}, {}
    for kind, name in COPIED.items():
        points = trace.counters[trace.counters["name"] == name]
        counted[kind] = list(zip(points["ts_ns"], points["value"], strict=True))
        spans = trace.spans[trace.spans["kind"] == kind]
        ends = zip(spans["ts_ns"] + spans["dur_ns"], spans["args"], strict=True)
        expected[kind] = sorted((ns, args["bytes"]) for ns, args in ends)
    return counted, expected


@pytest.mark.parametrize("mode", ["async", "item-sync", "constrained", "kv-released-at-once"])
def test_bytes_copied_are_counted_whenever_a_batchs_copies_are_over(mode):
    result = execute(configure(mode, compute=False, steps=60))
    counted, copies = copied(result.trace)
    for kind in COPIED:
        assert counted[kind][0][1] == 0
        for ns, total in counted[kind][1:]:
            assert total == sum(nbytes for end, nbytes in copies[kind] if end <= ns)
        assert len(counted[kind]) == 1 + len(
            {op.step for op in result.device.log if op.kind is kind}
        )
    totals = [counted[kind][-1][1] for kind in (OpKind.H2D, OpKind.D2H)]
    assert totals == [result.service.h2d_bytes, result.service.d2h_bytes]


def test_bytes_copied_come_back_from_a_file(tmp_path):
    trace = execute(configure("async", compute=False, steps=20)).trace
    write_trace(trace, tmp_path / "run.json.gz")
    assert copied(open_trace(tmp_path / "run.json.gz"))[0] == copied(trace)[0]


@pytest.fixture(scope="module")
def whole():
    return execute(configure("async", compute=False, steps=20))


@settings(max_examples=settings.default.max_examples // 2)
@given(at_ns=st.integers(1, 2_000_000_000))
def test_what_a_frozen_run_was_still_copying_does_not_count(whole, at_ns):
    frozen = execute(replace(whole.config, stop_at_ns=at_ns))
    _, copies = copied(whole.trace)
    before = {
        kind: sum(nbytes for end, nbytes in copies[kind] if end < at_ns or not frozen.stopped)
        for kind in COPIED
    }
    service = frozen.service
    assert (service.h2d_bytes, service.d2h_bytes) == (before["h2d"], before["d2h"])
    for kind, points in copied(frozen.trace)[0].items():
        assert (points[-1][1] if points else 0) == before[kind]


def test_every_row_of_a_run_is_a_token_padding_or_idle():
    """One chunk a prompt and the synchronous loop: no row is a zombie or part of a prompt."""
    workload = replace(WORKLOADS["chat"], max_batched_tokens=1000)
    for batching in ("continuous", "static"):
        toggles = {"batching": batching, "depth": "1"}
        result = execute(configure("async", workload=workload, set=toggles))
        service = result.service
        tokens = sum(request.committed for request in result.requests)
        rows = result.config.workload.batch * result.steps
        assert tokens + service.padding_rows + service.idle_rows == rows
        assert bool(service.padding_rows) == (batching == "static")


def test_overlap_lowers_every_waiting_time():
    sync, overlapped = (
        execute(configure(mode, workload="chat-poisson")).service for mode in ("sync", "async")
    )
    assert overlapped.ttft_median_ms < sync.ttft_median_ms
    assert overlapped.inter_token_median_ms < sync.inter_token_median_ms
    assert overlapped.end_to_end_median_ms < sync.end_to_end_median_ms
    assert overlapped.throughput_tokens_per_s > 1.2 * sync.throughput_tokens_per_s


def test_a_run_cut_at_once_has_figures_too():
    service = execute(configure("async", steps=1, compute=False)).service
    assert service.requests_done == 0 and service.inter_token_median_ms is None


def test_a_frozen_run_has_figures_of_what_had_happened():
    config = replace(configure("async", compute=False), stop_at_ns=400 * MS)
    frozen = execute(config)
    service = frozen.service
    assert frozen.stopped and any(r.admitted_step < 0 for r in frozen.requests)
    assert service.ttft_median_ms is not None and service.ttft_p99_ms <= 400
    assert service.queue_peak_requests == 10 and service.requests_done == 0
