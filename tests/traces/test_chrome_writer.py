"""Our dumps: read back whole, the same bytes every time, in a form that Perfetto takes."""

import gzip
import json

import pandas as pd
from hypothesis import given

from tests.traces.builders import traces
from tests.traces.test_gap_walk import sync_run
from traces import Trace, find_gaps, open_trace, trace_bytes, write_trace


def same(a: Trace, b: Trace) -> bool:
    for name in ("spans", "flows", "counters"):
        pd.testing.assert_frame_equal(getattr(a, name), getattr(b, name))
    return a.meta == b.meta


@given(traces())
def test_reading_back_gives_exactly_what_was_written(trace):
    assert same(open_trace(trace_bytes(trace)), trace)


@given(traces())
def test_the_same_trace_gives_the_same_bytes(trace):
    data = trace_bytes(trace)
    assert trace_bytes(open_trace(data)) == data
    assert gzip.decompress(data) == trace_bytes(trace, compressed=False)


def test_files_are_compressed_by_their_name(tmp_path):
    trace = sync_run().trace()
    for name, magic in [("a.json", b"{"), ("a.json.gz", b"\x1f\x8b")]:
        write_trace(trace, tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(magic)
        assert same(open_trace(tmp_path / name), trace)


def test_gaps_are_the_same_after_reading_back():
    trace = sync_run().trace()
    assert find_gaps(open_trace(trace_bytes(trace))) == find_gaps(trace)


def document():
    return json.loads(trace_bytes(sync_run().trace(), compressed=False))


def test_processes_and_threads_are_named_and_ordered():
    names = [
        (event["name"], event["pid"], event["args"].get("name"))
        for event in document()["traceEvents"]
        if event["ph"] == "M" and "name" in event["args"]
    ]
    assert names == [
        ("process_name", 1, "host"),
        ("thread_name", 1, "host"),
        ("process_name", 2, "GPU 0"),
        ("thread_name", 2, "H2D"),
        ("thread_name", 2, "compute"),
        ("thread_name", 2, "D2H"),
    ]


def test_both_ends_of_an_arrow_lie_in_the_spans_they_join():
    events = document()["traceEvents"]
    spans = [event for event in events if event["ph"] == "X"]
    arrows = [event for event in events if event["ph"] in "sf"]
    assert len(arrows) == 2 * len(sync_run().flows)
    for arrow in arrows:
        span = spans[arrow["args"]["span"]]
        assert (arrow["pid"], arrow["tid"]) == (span["pid"], span["tid"])
        assert span["ts"] <= arrow["ts"] <= span["ts"] + span["dur"]
        assert (arrow.get("bp") == "e") == (arrow["ph"] == "f")


def test_a_dump_that_was_cut_off_keeps_its_spans_and_says_so():
    trace = sync_run().trace()
    text = trace_bytes(trace, compressed=False)
    cut = open_trace(text[: text.index(b'"ph":"s"') + 30])
    pd.testing.assert_frame_equal(cut.spans, trace.spans)
    assert any("cut off" in warning for warning in cut.meta["warnings"])


def test_a_damaged_dump_gives_up_its_arrows_rather_than_draw_wrong_ones():
    trace = sync_run().trace()
    text = trace_bytes(trace, compressed=False)
    at = text.index(b'"schedule"')
    hurt = open_trace(text[:at] + text[at + 1 :])
    assert len(hurt.spans) == len(trace.spans) - 1
    assert len(hurt.flows) == 0
    assert hurt.meta["skipped"] == 1
