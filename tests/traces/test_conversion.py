"""Any trace becomes Chrome JSON, which is read back whole, or a table of its spans."""

import json

import pandas as pd
import pytest
from hypothesis import given, settings
from pandas.testing import assert_frame_equal

from tests.traces.builders import traces
from tests.traces.readers.test_formats import examples
from tests.traces.test_gap_walk import sync_run
from traces import TraceError, convert, open_trace, write_trace
from traces.__main__ import main


@pytest.mark.parametrize("ending", ["json", "json.gz"])
def test_chrome_json_is_read_back_without_loss(ending, tmp_path):
    trace = sync_run().trace()
    convert(trace, tmp_path / f"out.{ending}")
    again = open_trace(tmp_path / f"out.{ending}")
    assert_frame_equal(again.spans, trace.spans)
    assert_frame_equal(again.flows, trace.flows)


def test_parquet_holds_a_row_for_each_span_and_its_launch(tmp_path):
    trace = sync_run().trace()
    convert(trace, tmp_path / "out.parquet")
    table = pd.read_parquet(tmp_path / "out.parquet")
    columns = [name for name in trace.spans if name != "args"]
    assert_frame_equal(table[columns], trace.spans[columns], check_dtype=False)
    launches = trace.flows[trace.flows["kind"] == "launch"]
    assert table["launched_by"][launches["dst"]].tolist() == launches["src"].tolist()
    assert (table["launched_by"] >= 0).sum() == len(launches)


@settings(max_examples=30)
@given(traces())
def test_any_trace_becomes_a_table(tmp_path_factory, trace):
    path = tmp_path_factory.getbasetemp() / "any.parquet"  # one file: a folder each is slow
    convert(trace, path)
    table = pd.read_parquet(path)
    assert table["ts_ns"].tolist() == trace.spans["ts_ns"].tolist()
    read = [json.loads(text) if isinstance(text, str) else None for text in table["args"]]
    assert read == trace.spans["args"].tolist()


def test_every_format_becomes_a_table_with_its_args(tmp_path):
    for name, data in examples(tmp_path).items():
        trace = open_trace(data)
        convert(trace, tmp_path / "out.parquet")
        table = pd.read_parquet(tmp_path / "out.parquet")
        read = [json.loads(text) if isinstance(text, str) else None for text in table["args"]]
        assert read == trace.spans["args"].tolist(), name


@pytest.mark.parametrize(
    ("out", "says"), [("out.txt", "no ending that says"), ("missing/out.json", "cannot be written")]
)
def test_what_cannot_be_written_is_one_sentence(out, says, tmp_path, capsys):
    with pytest.raises(TraceError, match=says):
        convert(sync_run().trace(), tmp_path / out)
    write_trace(sync_run().trace(), tmp_path / "in.json")
    assert main(["convert", str(tmp_path / "in.json"), str(tmp_path / out)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert says in line


def test_the_command_line_converts(tmp_path, capsys):
    write_trace(sync_run().trace(), tmp_path / "in.json")
    assert main(["convert", str(tmp_path / "in.json"), str(tmp_path / "out.parquet")]) == 0
    assert len(pd.read_parquet(tmp_path / "out.parquet")) == len(sync_run().trace().spans)
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"wrote {tmp_path}")
