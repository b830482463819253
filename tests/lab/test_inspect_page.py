"""The Inspect page, run by Streamlit's AppTest without a browser."""

import pytest

from tests.lab.apps import INSPECT, charts, open_page, upload
from tests.lab.samples import HOSTILE, profiler_trace, study
from traces import trace_bytes


def test_inspect_opens_with_a_sample() -> None:
    app = open_page(INSPECT)
    assert not app.exception
    assert app.selectbox(key="sample").value == "Synchronous engine"
    assert len(charts(app)) == 2


def test_inspect_is_kind_while_nothing_is_open() -> None:
    app = open_page(INSPECT, sample="none")
    assert not app.exception
    assert "Drop a trace above" in app.info[0].value


def test_an_uploaded_run_is_judged_and_drawn() -> None:
    app = upload("run.json.gz", study("sync").file)
    assert not app.exception and not app.error
    assert "GPU 0 idle 2" in app.markdown[1].value
    assert "between steps; async would give about" in app.markdown[1].value
    assert any("mode sync" in caption.value for caption in app.caption)
    assert {"gap", "kernel 1"} <= {trace.get("name") for trace in charts(app)[1]["data"]}


def test_jumping_to_a_gap_zooms_there_and_back_returns() -> None:
    app = upload("x.json", trace_bytes(profiler_trace(spans=9), compressed=False))
    whole = charts(app)[1]["layout"]["xaxis"]["range"]
    app.button(key="jump-1").click().run()
    assert charts(app)[1]["layout"]["xaxis"]["range"] != whole
    app.button(key="inspect-back").click().run()
    assert charts(app)[1]["layout"]["xaxis"]["range"] == whole


@pytest.mark.parametrize(
    "data", [b"", b"no trace", b"\x1f\x8b broken", b'{"traceEvents": 5}', b"PK\x03\x04"]
)
def test_a_bad_file_is_refused_in_one_sentence(data: bytes) -> None:
    app = upload("bad.bin", data)
    assert not app.exception
    assert len(app.error) == 1
    assert "Traceback" not in app.error[0].value


def test_a_hostile_file_shows_its_names_as_text() -> None:
    app = upload("h.json", trace_bytes(profiler_trace(HOSTILE, spans=3)))
    assert not app.exception
    for element in [*app.markdown, *app.caption, *app.warning]:
        assert "<b>x" not in element.value.replace("\\<", "")
    assert "<b>x" not in app.get("plotly_chart")[1].proto.spec


def test_the_last_choice_wins_between_an_upload_and_a_sample() -> None:
    app = upload("mine.json", trace_bytes(profiler_trace(spans=3), compressed=False))
    assert app.selectbox(key="sample").value == "none"
    assert any("mine\\.json" in caption.value for caption in app.caption)
    app.selectbox(key="sample").set_value("Synchronous engine").run()
    assert not app.exception
    assert not any("mine\\.json" in caption.value for caption in app.caption)
    assert any("Synchronous engine" in caption.value for caption in app.caption)
    app.file_uploader(key="trace-sample-1").upload("again.json", trace_bytes(profiler_trace()))
    app.run()
    assert app.selectbox(key="sample").value == "none"
    assert any("again\\.json" in caption.value for caption in app.caption)


def test_an_empty_file_leaves_no_sample_named() -> None:
    app = upload("empty.json", b"")
    assert len(app.error) == 1 and app.selectbox(key="sample").value == "none"
