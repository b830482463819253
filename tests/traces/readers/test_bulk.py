"""Reading in bulk gives what reading one event at a time gives, whatever the file holds."""

import json
from unittest.mock import patch

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from traces import TraceError, open_trace
from traces.clock import LIMIT_NS, to_ns, to_us
from traces.readers.bulk import times_ns
from traces.readers.chrome_reader import ChromeReader
from traces.readers.kineto import CATEGORIES

microseconds = st.one_of(
    st.integers(0, 10**15).map(str),
    st.integers(0, 10**15).map(lambda ns: f"{ns // 1000}.{ns % 1000:03}"),
    st.integers(-(10**18), 10**18).map(lambda ns: f"{ns / 1000}"),
    st.sampled_from(["0", "1e3", "-5", '"12.5"', "0.0005", "1712195495506161.288", "9" * 30]),
    st.sampled_from(["null", "true", "[]", '"soon"', ""]),
)


@given(st.lists(microseconds, min_size=1, max_size=6))
def test_times_are_those_of_the_exact_clock(texts):
    found, is_time = times_ns([msgspec.Raw(text.encode()) for text in texts])
    exact = [to_ns(text.encode()) for text in texts]
    assert is_time.tolist() == [ns is not None for ns in exact]
    assert found.tolist() == [ns or 0 for ns in exact]


@given(
    st.sampled_from([10**15 - 1, LIMIT_NS - 1]).flatmap(
        lambda most: st.lists(st.integers(0, most), min_size=1)
    ),
    st.booleans(),
)
def test_no_nanosecond_is_lost(times, shortest):
    texts = [to_us(ns) if shortest else b"%d.%03d" % divmod(ns, 1000) for ns in times]
    found, is_time = times_ns(list(map(msgspec.Raw, texts)))
    assert found.tolist() == times
    assert is_time.all()


ids = st.one_of(st.none(), st.integers(-2, 3), st.sampled_from(["stream 7", "", 7.5, 2**63, True]))
args = st.one_of(
    st.none(),
    st.just([]),
    st.just("text"),
    st.fixed_dictionaries(
        {},
        optional={
            "device": ids,
            "stream": ids,
            "correlation": ids,
            "bytes": ids,
            "correlation_id": ids,
            "External id": ids,
            "grid": st.just([1, [2]]),
        },
    ),
)
events = st.fixed_dictionaries(
    {
        "ph": st.sampled_from("XXXXBBEEbeiCsfM?"),
        "name": st.sampled_from(["gemm", "cudaLaunchKernel", "Memcpy HtoD", "hipFree", 7, None]),
        "cat": st.sampled_from([*list(CATEGORIES)[:12], "Kernel", "ac2g", "", None, "own"]),
        "ts": st.one_of(st.integers(0, 9), st.sampled_from([None, "3.5", 2.25, -1, "soon"])),
    },
    optional={
        "dur": st.one_of(st.integers(0, 5), st.sampled_from([None, 1.001, -3, "2"])),
        "pid": st.one_of(ids, st.just("CUDA functions")),
        "tid": ids,
        "id": ids,
        "args": args,
    },
)


def described(text):
    """Everything that a trace tells, in an order that ties in time do not change."""
    try:
        trace = open_trace(text)
    except TraceError as refusal:
        return str(refusal)
    spans = trace.spans.astype({"args": str})
    rows = sorted(map(repr, spans.itertuples(index=False, name=None)))
    names = spans[["ts_ns", "dur_ns", "track", "name", "correlation"]].apply(tuple, axis=1)
    flows = sorted((repr(names[a]), repr(names[b]), k) for a, b, k in trace.flows.itertuples(False))
    return rows, flows, len(trace.counters), trace.meta


@given(st.lists(events, min_size=1, max_size=8))
def test_a_file_reads_the_same_in_bulk_and_one_by_one(found):
    text = json.dumps({"schemaVersion": 1, "traceEvents": found}).encode()
    in_bulk = described(text)
    take = ChromeReader.take

    def one_by_one(self, events):
        for event in events:
            take(self, [event])

    with patch.object(ChromeReader, "take", one_by_one):
        assert in_bulk == described(text)


@given(st.permutations([1, 1.0, True]), st.sampled_from(["pid", "tid"]))
def test_ids_that_are_equal_have_one_lane_whichever_comes_first(ids, which):
    event = {"ph": "X", "ts": 0, "dur": 1, "pid": 7, "tid": 7, "name": "a"}
    trace = open_trace(json.dumps([event | {which: value} for value in ids]).encode())
    assert trace.spans["track"].nunique() == 1
    assert set(trace.spans[which].astype(str)) == {"1"}
