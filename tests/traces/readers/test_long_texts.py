"""One long text that stands for many rows is not held once a row, in any format."""

import json
import tracemalloc

import pytest

from tests.traces.readers.perfetto_files import BEGIN, COUNTER, END, Builder
from traces.readers.reader import open_trace
from traces.readers.span_table import LONGEST_LABEL, LONGEST_NAME, LONGEST_VALUE
from traces.schema import TraceError

LONG = "x" * 300_000
ROWS = 3_000
SPAN = {"ph": "X", "pid": 1, "ts": 1, "dur": 1}
SMALL = 40 << 20
"""A twentieth of what the long text takes in every row."""


def chrome(*events):
    return json.dumps({"traceEvents": events}).encode()


def named(kind, name, **where):
    return {"ph": "M", "name": kind, "pid": 1, "args": {"name": name}, **where}


def perfetto(rows=ROWS, interned=LONG):
    """Slices that share an interned name, category, argument and value."""
    file = Builder()
    file.thread(1, 1, 1, LONG)
    packet = file.packet(sequence_flags=1)
    data = packet.interned_data
    for table in (data.event_names, data.event_categories, data.debug_annotation_names):
        row = table.add()
        row.iid, row.name = 1, interned
    value = data.debug_annotation_string_values.add()
    value.iid, value.str = 1, interned.encode()
    for number in range(rows):
        event = file.event(1, BEGIN, 10 * number)
        event.name_iid = 1
        event.category_iids.append(1)
        argument = event.debug_annotations.add()
        argument.name_iid = argument.string_value_iid = 1
        file.event(1, END, 10 * number + 5)
    return file.data()


def perfetto_tracks():
    """Threads of a process, and counters below one track, whose names are long."""
    file = Builder()
    file.process(1, 1, LONG)
    file.track(2, LONG, parent=1)
    for number in range(ROWS):
        file.thread(10 + number, 1, 10 + number, "t")
        file.span(10 + number, 1, 5, "a")
        file.event(2, COUNTER, number).counter_value = number
    return file.data()


def rocprof():
    """Kernels of one symbol, and calls of threads of one process."""
    times = {"start_timestamp": 1, "end_timestamp": 5}
    info = {"kernel_id": 1, "agent_id": {"handle": 22}, "queue_id": {"handle": 1}}
    part = {
        "metadata": {"pid": LONG},
        "agents": [{"id": {"handle": 22}, "type": 2, "logical_node_type_id": 0}],
        "kernel_symbols": [{"kernel_id": 1, "formatted_kernel_name": LONG}],
        "strings": {"buffer_records": [{"kind": "HIP", "operations": [LONG]}]},
        "buffer_records": {
            "kernel_dispatch": [times | {"dispatch_info": info}] * ROWS,
            "hip_api": [
                times | {"kind": 0, "operation": 0, "thread_id": number} for number in range(ROWS)
            ],
        },
    }
    return json.dumps({"rocprofiler-sdk-tool": [part]}).encode()


FILES = {
    "a process": lambda: chrome(
        named("process_name", LONG), *(SPAN | {"name": "a", "tid": n} for n in range(ROWS))
    ),
    "counters of a process": lambda: chrome(
        named("process_name", LONG),
        *({"ph": "C", "name": f"c{n}", "pid": 1, "ts": n, "args": {"v": n}} for n in range(ROWS)),
    ),
    "a counter": lambda: chrome(
        {"ph": "C", "name": LONG, "pid": 1, "ts": 1, "args": {f"v{n}": n for n in range(ROWS)}}
    ),
    "a category": lambda: chrome(
        {"ph": "b", "cat": LONG, "name": "a", "id": 0, "pid": 1, "tid": 1, "ts": 1},
        *(
            {"ph": ph, "cat": "c", "name": "a", "id": n, "pid": 1, "tid": n, "ts": n}
            for n in range(ROWS)
            for ph in "be"
        ),
    ),
    "Perfetto's interned data": perfetto,
    "Perfetto's tracks": perfetto_tracks,
    "rocprofv3": rocprof,
    "CSV": lambda: (
        f"name,start_ns,duration_ns,track\n{LONG},1,1,{LONG}\n".encode()
        + b"".join(b"a,%d,1,t%d\n" % (n, n) for n in range(ROWS))
    ),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_long_text_is_not_held_once_a_row(kind):
    data = FILES[kind]()
    open_trace(perfetto(1, "x"))  # what is imported once is no part of it
    tracemalloc.start()
    trace = open_trace(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(trace.spans) + len(trace.counters) >= ROWS
    assert peak < SMALL
    assert all(len(track) < 4 * LONGEST_LABEL for track in trace.spans["track"].unique())
    assert all(len(name) <= LONGEST_NAME for name in trace.spans["name"].unique())


@pytest.mark.parametrize(
    "data",
    [
        perfetto(9_000),
        chrome(
            {"ph": "C", "name": LONG, "pid": 1, "ts": 1, "args": {f"{n}": n for n in range(20_000)}}
        ),
    ],
    ids=["args", "counters"],
)
def test_what_is_made_of_a_files_texts_counts_against_the_limit_of_its_size(data):
    limit = 4 << 20
    assert len(data) < limit
    tracemalloc.start()
    with pytest.raises(TraceError, match="more than 4 MiB; record fewer steps"):
        open_trace(data, max_bytes=limit)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12 * limit


def test_names_as_long_as_real_ones_stay_whole():
    kernel, stack = "void cutlass::" + "k<" * 1_500, "a" * 50_000
    trace = open_trace(chrome(SPAN | {"name": kernel, "tid": 1, "args": {"stack": stack}}))
    assert trace.spans["name"].tolist() == [kernel]
    assert trace.spans["args"][0] == {"stack": stack}
    trace = open_trace(perfetto(1, "a" * LONGEST_LABEL))
    assert trace.spans["args"][0] == {"a" * LONGEST_LABEL: "a" * LONGEST_LABEL}


def test_what_is_cut_says_so():
    trace = open_trace(chrome(named("process_name", LONG), SPAN | {"name": LONG, "tid": 1}))
    assert trace.spans["name"][0] == "x" * (LONGEST_NAME - 1) + "…"
    assert trace.spans["track"][0] == "x" * (LONGEST_LABEL - 1) + "… · thread 1"
    (value,) = open_trace(perfetto(1)).spans["args"][0].values()
    assert value == "x" * (LONGEST_VALUE - 1) + "…"
