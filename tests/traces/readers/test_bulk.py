"""Reading in bulk gives what reading one event at a time gives, whatever the file holds."""

import json
from unittest.mock import patch

import msgspec
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from traces import TraceError, open_trace
from traces.clock import LIMIT_NS, to_ns
from traces.readers.bulk import BulkReader, bulk_ns
from traces.readers.kineto import CATEGORIES

microseconds = st.one_of(
    st.integers(0, 10**15).map(str),
    st.integers(0, 10**15).map(lambda ns: f"{ns // 1000}.{ns % 1000:03}"),
    st.integers(-(10**18), 10**18).map(lambda ns: f"{ns / 1000}"),
    st.sampled_from(["0", "1e3", "-5", '"12.5"', "0.0005", "1712195495506161.288", "9" * 30]),
    st.sampled_from(["null", "true", "[]", '"soon"', ""]),
)


@given(st.lists(microseconds, min_size=1, max_size=6))
def test_times_are_those_of_the_exact_clock_or_there_are_none(texts):
    found = bulk_ns([msgspec.Raw(text.encode()) for text in texts])
    exact = [to_ns(text.encode()) for text in texts]
    if None in exact:
        assert found is None
    else:
        assert found.tolist() == exact


@given(st.lists(st.integers(0, LIMIT_NS - 1), min_size=1))
def test_no_nanosecond_is_lost(times):
    texts = [f"{ns // 1000}.{ns % 1000:03}".encode() for ns in times]
    assert bulk_ns(list(map(msgspec.Raw, texts))).tolist() == times


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
        "ph": st.sampled_from("XXXXXBEiCsfM?"),
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
    with patch.object(BulkReader, "take", lambda self, events: events):
        assert in_bulk == described(text)


def test_a_plain_profiler_file_leaves_nothing_to_be_read_one_by_one():
    calls = [
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": n, "dur": 1,
         "pid": 1, "tid": 1, "args": {"correlation": n}}
        for n in range(1, 50)
    ]  # fmt: skip
    arrows = [{"ph": "s", "cat": "ac2g", "name": "ac2g", "id": n, "ts": n} for n in range(1, 50)]
    left = []
    take = BulkReader.take

    def noted(self, events):
        left.append(take(self, events))
        return left[-1]

    with patch.object(BulkReader, "take", noted):
        trace = open_trace(json.dumps(calls + arrows).encode())
    assert left == [[]]
    assert np.array_equal(trace.spans["ts_ns"], np.arange(49) * 1000)
