"""The table of formats: every file is read by one row, by its content and nothing else."""

import gzip
import json

import pytest

from tests.traces.readers.nsight_files import kernel, tables, write
from tests.traces.readers.test_perfetto_reader import many
from tests.traces.readers.test_rocprof_csv_reader import KERNELS
from tests.traces.readers.test_rocprof_json_reader import dispatch, document
from tests.traces.test_gap_walk import sync_run
from traces import open_trace, trace_bytes
from traces.readers.formats import FORMATS

EVENT = {"ph": "X", "name": "a", "ts": 1, "dur": 2}
TEXTS = {
    "Chrome trace JSON": json.dumps({"traceEvents": [EVENT]}, indent=1).encode(),
    "Chrome trace JSON, array": json.dumps([EVENT]).encode(),
    "Chrome trace JSON, ours": trace_bytes(sync_run().trace(), compressed=False),
    "rocprofv3 JSON": document(kernel_dispatch=[dispatch(5, 9)]),
    "rocprofv3 CSV": (KERNELS + '"KERNEL_DISPATCH",1,2,69,1,16,"k",14,5,9\n').encode(),
    "plain CSV": b"name,start_us,duration_us\na,1,2\n",
}


def examples(tmp_path):
    nsight = write(tmp_path / "n", tables(CUPTI_ACTIVITY_KIND_KERNEL=[kernel(1, 9)]))
    return TEXTS | {
        "Nsight Systems SQLite export": nsight.read_bytes(),
        "Perfetto protobuf": many().data(),
    }


def test_every_row_reads_its_examples_and_no_other_row_fits_better(tmp_path):
    found = examples(tmp_path)
    assert {row.name for row in FORMATS} == {name.partition(",")[0] for name in found}
    for name, data in found.items():
        assert next(row.name for row in FORMATS if row.fits(data[:1000])) == name.partition(",")[0]
        assert len(open_trace(data).spans) >= 1


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("before", [b"\n", b"\n\n \t\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n", b" "])
def test_blanks_and_a_byte_order_mark_before_a_text_change_nothing(name, before):
    whole = open_trace(TEXTS[name])
    trace = open_trace(before + TEXTS[name])
    assert trace.spans.equals(whole.spans)
    assert trace.meta["format"] == whole.meta["format"]


def test_a_format_is_the_same_packed_and_under_any_name(tmp_path):
    for name, data in examples(tmp_path).items():
        path = tmp_path / "trace.nsys-rep"
        path.write_bytes(gzip.compress(data))
        assert open_trace(path).spans.equals(open_trace(data).spans), name
