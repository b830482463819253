"""The Inspect page, run by Streamlit's AppTest without a browser."""

from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from lab.inspect.inspection import Inspection
from lab.timeline.state import Choice
from tests.lab.apps import INSPECT, canvas, canvas_styles, charts, open_page, upload
from tests.lab.samples import HOSTILE, profiler_trace, study
from traces import trace_bytes
from traces.gap import NOT_ASKED


def test_inspect_opens_with_a_sample() -> None:
    app = open_page(INSPECT)
    assert not app.exception
    assert app.selectbox(key="sample").value == "Synchronous engine"
    assert len(canvas(app)["bars"]["x"]) > 50 and charts(app) == []


def test_inspect_is_kind_while_nothing_is_open() -> None:
    app = open_page(INSPECT, sample="none")
    assert not app.exception
    assert "Drop a trace above" in app.info[0].value


def test_an_uploaded_run_is_judged_and_drawn() -> None:
    app = upload("run.json.gz", study("sync").file)
    assert not app.exception and not app.error
    assert "GPU 0 idle 2" in app.markdown[1].value
    assert "between steps; async would save about" in app.markdown[1].value
    assert any("mode sync" in caption.value for caption in app.caption)
    assert {"gap", "kernel 1"} <= canvas_styles(app)


@pytest.mark.parametrize("name", ["a__b.json", "$$ID-1-None", "\u202e 轨迹 {}.json", "a" * 300])
def test_a_file_may_be_called_anything(name: str) -> None:
    app = upload(name, trace_bytes(profiler_trace(spans=9), compressed=False))
    assert not app.exception and not app.error
    assert canvas_styles(app)


def test_jumping_to_a_gap_zooms_there_and_back_returns() -> None:
    app = upload("x.json", trace_bytes(profiler_trace(spans=9), compressed=False))
    whole = canvas(app)["window"]
    app.button(key="jump-1").click().run()
    assert canvas(app)["window"] != whole
    app.button(key="inspect-back").click().run()
    assert canvas(app)["window"] == whole


@pytest.mark.parametrize(
    "data", [b"", b"no trace", b"\x1f\x8b broken", b'{"traceEvents": 5}', b"PK\x03\x04"]
)
def test_a_bad_file_is_refused_in_one_sentence(data: bytes) -> None:
    app = upload("bad.bin", data)
    assert not app.exception
    assert len(app.error) == 1
    assert "Traceback" not in app.error[0].value


@pytest.mark.parametrize("data", [b"NVIDIA Tegra Profiler Report \0", b"\x89HDF\r\n\x1a\n"])
def test_a_refusal_shows_commands_as_code_and_stands_alone(data: bytes) -> None:
    app = upload("report.nsys-rep", data)
    (told,) = (error.value for error in app.error)
    assert "`" in told and "\\`" not in told and r"\-\-type" not in told
    assert not app.info


def test_two_refusals_on_the_compare_page_stand_alone() -> None:
    app = open_page("lab/pages/compare.py")
    app.file_uploader(key="trace-a-0").upload("report.nsys-rep", b"NVIDIA Tegra Profiler Report ")
    app.run()
    assert len(app.error) == 1 and not app.info
    assert open_page("lab/pages/compare.py", a="none").info


def test_a_hostile_file_shows_its_names_as_text() -> None:
    app = upload("h.json", trace_bytes(profiler_trace(HOSTILE, spans=3)))
    assert not app.exception
    for element in [*app.markdown, *app.caption, *app.warning]:
        assert "<b>x" not in element.value.replace("\\<", "")
    told = canvas(app)["bars"]["told"]
    assert any("<b>x</b>" in line for lines in told for line in lines)  # plain text there
    assert not any("\u202e" in line or "\n" in line for lines in told for line in lines)


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


def labels(app: AppTest) -> list[str]:
    return [button.label for button in app.button]


def test_a_finding_leads_to_its_place_and_to_its_switch() -> None:
    app = open_page(INSPECT, sample="One .item() in the loop")
    assert any("1. Scalar read" in text.value for text in app.markdown)
    assert any("`item_sync=off`" in text.value for text in app.markdown)
    links = [link.proto for link in app.get("page_link")]
    assert any("mode=item-sync" in link.query_string for link in links)
    assert any(link.page == "lessons" and "lesson=" in link.query_string for link in links)
    whole = canvas(app)["window"]
    app.button(key="evidence-1-0").click().run()
    assert not app.exception
    zoomed = canvas(app)
    assert zoomed["window"] != whole
    assert zoomed["mark"] and zoomed["selected"] in zoomed["bars"]["span"]
    assert "selected-close" in {button.key for button in app.button}
    app.button(key="selected-close").click().run()
    assert canvas(app)["mark"] is None and canvas(app)["selected"] == -1


@pytest.mark.parametrize(
    ("tab", "shown"),
    [
        ("steps", "Median"), ("outlook", "Bound"), ("gaps", ""), ("causes", ""), ("devices", ""),
        ("spans", ""), ("counters", ""),
    ],
)  # fmt: skip
def test_every_tab_draws(tab: str, shown: str) -> None:
    app = open_page(INSPECT, view=tab)
    assert not app.exception and not app.error
    assert not shown or shown in {metric.label for metric in app.metric}
    if tab == "gaps":
        assert app.dataframe[0].value["What it means"].str.endswith(".").all()


def test_the_numbers_of_a_trace_go_to_the_timeline_in_one_link() -> None:
    app = open_page(INSPECT, view="outlook")
    (link,) = [p.proto for p in app.get("page_link") if "start from sync" in p.proto.label]
    query = dict(parse_qsl(link.query_string))
    assert query["mode"] == "sync"
    config = Choice("sync", cost=query["cost"], workload="chat", steps=8).config()
    assert config.cost.gpu_step_ns == pytest.approx(28e6, rel=0.001)


def test_spans_are_found_by_name() -> None:
    app = open_page(INSPECT, find="LAYER 1")
    assert not app.exception
    assert set(app.dataframe[0].value["Name"]) == {"layer 1", "launch layer 1"}
    assert any("No span" in c.value for c in open_page(INSPECT, find="nonsense").caption)


def test_files_of_several_ranks_are_one_run() -> None:
    app = open_page(INSPECT, view="devices")
    picker = app.file_uploader(key="trace-sample-0")
    data = trace_bytes(profiler_trace(spans=3))
    picker.set_value([(f"r{rank}.json", data, "application/json") for rank in (0, 1)])
    app.run()
    assert not app.exception and not app.error
    assert "the idlest of 2" in app.markdown[1].value
    assert app.dataframe[0].value["GPU"].tolist() == [0, 1]


def test_a_damaged_file_says_what_was_kept_and_where() -> None:
    data = trace_bytes(profiler_trace(spans=9), compressed=False)
    app = upload("cut.json", data[: len(data) * 2 // 3] + b'"broken": \x01 }')
    assert not app.exception and not app.error
    assert any("cut off" in warning.value for warning in app.warning)


def test_the_limit_of_a_file_is_told() -> None:
    assert any("the file and for what it unpacks to" in c.value for c in open_page(INSPECT).caption)


def test_the_critical_path_is_drawn_and_told_where_it_is_switched_on() -> None:
    app = open_page(INSPECT)
    assert canvas(app)["path"] is None
    app.toggle(key="path").set_value(True).run()
    assert not app.exception
    path = canvas(app)["path"]
    assert len(path["x"]) > 10 and path["links"]
    assert any("critical path of the whole run" in caption.value for caption in app.caption)


def test_a_long_trace_is_drawn_before_its_gaps_are_explained(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("lab.inspect.inspection.QUICK_SPANS", 0)
    seen: list[bool] = []
    explain = Inspection.explain

    def noted(inspection: Inspection) -> None:
        seen.append(inspection.explained)
        explain(inspection)

    monkeypatch.setattr(Inspection, "explain", noted)
    app = upload("x.json", trace_bytes(profiler_trace(spans=9), compressed=False))
    assert not app.exception and seen == [False]
    assert "GPU 0 idle" in app.markdown[1].value
    assert not any(NOT_ASKED in line for lines in canvas(app)["bars"]["told"] for line in lines)
