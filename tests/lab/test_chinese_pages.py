"""What is told of broken files and of runs that cannot be is Chinese on a Chinese page."""

import json
import re
import sqlite3
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import lab.language  # noqa: F401 - says whom the catalogue asks
from engine.sweep.reading import read_table
from lab.inspect.inspection import Inspection
from lab.picture.hover import Hover
from lab.sweep.table import SAMPLE, shown_rows
from tests.lab.apps import INSPECT, open_page, stepper, timeline, upload
from tests.lab.samples import profiler_trace, study
from traces import Trace, open_trace, trace_bytes

ENGLISH = re.compile(r"(?:[A-Za-z]+ ){3}[A-Za-z]+")
"""Four words in a row."""


@pytest.fixture(autouse=True)
def chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside of a page, too, where the test reads how choices are called."""
    monkeypatch.setattr("lab.catalogue._asked", [lambda: "zh"])


def told(app: AppTest) -> list[str]:
    """The sentences on a page as they are read: without escapes and code."""
    shown = [*app.error, *app.warning, *app.info, *app.markdown, *app.caption]
    return [re.sub(r"`[^`]*`", "", element.value.replace("\\", "")) for element in shown]


def left_in_english(app: AppTest) -> list[str]:
    assert not app.exception
    return [sentence for sentence in told(app) if ENGLISH.search(sentence)]


def nsight(tmp_path: Path) -> bytes:
    """An SQLite database that is no export of Nsight Systems."""
    path = tmp_path / "a.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("create table a (b)")
    database.close()
    return path.read_bytes()


FILES = {
    "empty": b"",
    "text": b"no trace",
    "binary": b"\x00\x01\x02",
    "gzip": b"\x1f\x8b broken",
    "zip": b"PK\x03\x04",
    "nsys": b"NVIDIA Tegra Profiler Report",
    "hdf5": b"\x89HDF\r\n",
    "parquet": b"PAR1 \x00",
    "pickle": b"\x80\x04\x00",
    "protobuf": b"\x0a\x00\x01",
    "csv": b"name,start,duration\na,1,2\n",
    "other csv": b"a,b,c\n1,2,3\n",
    "numbers": b"[1, 2]",
    "speedscope": b'{"$schema": "https://www.speedscope.app/file-format-schema.json"}',
    "no events": b'{"traceEvents": []}',
    "no list": b'{"traceEvents": 5}',
}
"""Files that are refused."""


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_no_trace_is_refused_in_chinese(name: str) -> None:
    app = upload("a.bin", FILES[name], lang="zh")
    assert len(app.error) == 1
    assert left_in_english(app) == []


def test_another_database_is_refused_in_chinese(tmp_path: Path) -> None:
    app = upload("a.sqlite", nsight(tmp_path), lang="zh")
    assert len(app.error) == 1
    assert left_in_english(app) == []


def broken() -> bytes:
    """A trace in which all is wrong that a reader mends or skips, cut off in the end."""
    host = {"pid": 1, "tid": 1, "name": "work"}
    events = [
        {"ph": "X", "ts": 0, "dur": 10, **host},
        {"ph": "X", "ts": 5, "dur": 10, **host},
        {"ph": "X", "ts": 40, "dur": -5, **host},
        {"ph": "X", "ts": "never", "dur": 1, **host},
        {"ph": "E", "ts": 60, "pid": 1, "tid": 2},
        {"ph": "B", "ts": 70, "pid": 1, "tid": 3, "name": "open"},
        {"ph": "?", "ts": 80, **host},
    ]
    text = json.dumps({"traceEvents": events})[:-2]
    return (text + ', {"ph": "X", "ts": 90, "name": "\x01", {"ph": "X", "ts": 95, "na').encode()


def test_what_is_told_of_a_damaged_file_is_chinese() -> None:
    whole = Inspection(open_trace(broken(), "a.json"), "a.json", "")
    assert len(whole.warnings) >= 5
    assert [warning for warning in whole.warnings if ENGLISH.search(warning)] == []
    app = upload("a.json", broken(), lang="zh")
    assert len(app.warning) == 3
    assert left_in_english(app) == []


def test_what_cannot_be_told_of_a_trace_is_chinese() -> None:
    data = b'{"traceEvents": [{"ph": "X", "ts": 0, "dur": 9, "pid": 1, "tid": 1, "name": "a"}]}'
    app = upload("a.json", data, lang="zh", view="outlook")
    assert any(sentence.startswith("说不出异步能带来什么：没有录到") for sentence in told(app))
    assert left_in_english(app) == []


def test_what_steps_were_found_by_is_chinese() -> None:
    app = upload("a.json.gz", study("sync").file, lang="zh", view="steps")
    assert any("引擎自己的步" in metric.help for metric in app.metric)
    assert left_in_english(app) == []


@pytest.mark.parametrize("view", ["steps", "outlook", "findings"])
def test_that_steps_are_a_guess_is_told_in_chinese_where_figures_rest_on_them(view: str) -> None:
    run = study("sync").trace
    flows = run.flows[run.flows["kind"] == "launch"]
    spans = run.spans.assign(step=-1, slot=-1, args=None)
    other = Trace(spans, flows, run.counters.iloc[:0], {"format": "other"})
    app = upload("a.json.gz", trace_bytes(other), lang="zh", view=view)
    assert any("步是猜的" in sentence for sentence in told(app))
    assert any("前提是反复出现的确实是步" in sentence for sentence in told(app))
    marked = upload("b.json.gz", study("sync").file, lang="zh", view=view)
    assert not any("猜" in sentence for sentence in told(marked))


def test_a_changed_description_of_a_run_is_told_in_chinese() -> None:
    trace = profiler_trace()
    trace.meta |= {"warnings": [], "format": "overlap-lab", "run": {"mode": 5}}
    app = upload("a.json", trace_bytes(trace), lang="zh")
    assert any("“run”条目" in sentence for sentence in told(app))
    assert left_in_english(app) == []


@pytest.mark.parametrize(
    "change", ["nonsense", "depth=1", "h2d=fast", "wait_h2d=maybe", "nothing=3x"]
)
def test_a_fork_that_cannot_be_made_is_refused_in_chinese(change: str) -> None:
    app = stepper(lang="zh", at="20", fork_at="20", fork_set=change)
    assert len(app.error) == 1
    assert left_in_english(app) == []


def test_a_cost_model_that_is_none_is_refused_in_chinese_and_one_of_numbers_is_told_so() -> None:
    app = timeline(lang="zh", compute="off", cost="C8-G27-F4.8")
    assert any("结果之后的主机工作 4.8 ms" in sentence for sentence in told(app))
    assert left_in_english(app) == []
    app = timeline(lang="zh", compute="off", cost="C8-G0-F1")
    assert len(app.error) == 1
    assert left_in_english(app) == []


def test_a_workload_that_cannot_be_run_is_refused_in_chinese(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from engine.workloads.file import workload_from_dict

    def fail(*_: object) -> None:
        workload_from_dict({"kv_blocks": 0})

    monkeypatch.setattr("lab.runs.execute", fail)
    app = timeline(lang="zh", compute="off", wait_h2d="off", seed="78")
    assert "kv_blocks" in app.error[0].value.replace("\\", "")
    assert left_in_english(app) == []


def test_a_table_that_is_none_is_refused_in_chinese() -> None:
    app = open_page("lab/pages/sweep.py", lang="zh")
    app.file_uploader(key="sweep-file").upload("a.parquet", b"PAR1").run()
    assert len(app.error) == 1
    assert left_in_english(app) == []


def test_why_a_run_of_a_sweep_failed_is_told_in_chinese() -> None:
    table = read_table(SAMPLE, "sample").head(2)
    table["error"] = pd.array(
        ["request 'r0' needs 9 KV blocks and the pool has 3: shorten it or enlarge kv_blocks", None]
    )
    shown = shown_rows(table, ["seed"], "wall_ms")["错误"]
    assert shown.iloc[0].startswith("请求 'r0' 需要 9 个 KV 块") and shown.isna().iloc[1]


@pytest.mark.parametrize("mode", ["constrained", "graph-replay"])
def test_what_is_told_of_every_span_and_gap_of_a_run_is_chinese(mode: str) -> None:
    run = study(mode)
    hover = Hover(run.trace, run.gaps)
    told = [line for span in run.trace.spans.index for line in hover.bar(1, 0, 1.0, span, False)]
    told += [line for gap in range(len(run.gaps)) for line in hover.bar(1, 0, 1.0, gap, True)]
    words = [re.sub(r"^(cause|graph|waits_for|line|bytes): ", "", line) for line in told]
    assert len(words) > 100
    assert [line for line in words if re.search(r"[a-z]+ [a-z]+ [a-z]+", line)] == []


def test_a_bundled_sample_and_the_pages_first_sight_are_chinese() -> None:
    for app in (open_page(INSPECT, lang="zh"), open_page(INSPECT, lang="zh", sample="none")):
        assert left_in_english(app) == []
