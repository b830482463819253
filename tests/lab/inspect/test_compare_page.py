"""The Compare page and the page on recording, run by Streamlit's AppTest without a browser."""

import pytest

from tests.lab.apps import charts, open_page
from tests.lab.samples import study
from traces import Trace, list_samples, trace_bytes

COMPARE, RECORD = "lab/pages/compare.py", "lab/pages/guide.py"


def test_two_samples_stand_one_above_the_other_with_what_changed() -> None:
    app = open_page(COMPARE)
    assert not app.exception and not app.error
    titles = [note["text"] for note in charts(app)[0]["layout"]["annotations"]]
    assert [title.split(" ·")[0] for title in titles] == [
        "Synchronous engine",
        "Asynchronous engine",
    ]
    told = " ".join(text.value for text in app.markdown).replace("\\", "")
    assert "CPU work between steps fell" in told and "ms a step in the second (-2" in told


def test_in_another_language_what_changed_and_the_samples_are_worded_in_it() -> None:
    app = open_page(COMPARE, lang="zh", a="One .item() in the loop")
    assert not app.exception and not app.error
    assert [box.value for box in app.selectbox][:2] == [
        "One .item() in the loop", "Asynchronous engine",
    ]  # fmt: skip
    (told,) = (text.value for text in app.markdown if "什么变了" in text.value)
    bullets = [line for line in told.replace("\\", "").splitlines() if line.startswith("- ")]
    assert bullets and all("占运行时间的比例从 " in line for line in bullets)
    captions = " ".join(text.value for text in app.caption)
    for sample in list_samples():
        assert sample.about not in captions and sample.title not in captions
    assert "同步引擎" in app.selectbox[0].options


def test_a_trace_is_compared_with_its_prediction() -> None:
    app = open_page(COMPARE, predicted="async", b="none")
    assert not app.exception and not app.error
    titles = [note["text"] for note in charts(app)[0]["layout"]["annotations"]]
    assert titles[1].startswith("predicted, async · GPU idle")


def test_that_the_steps_of_a_trace_are_a_guess_is_told_under_its_name() -> None:
    app = open_page(COMPARE)
    assert not any("guess" in text.value for text in app.caption)
    run = study("sync").trace
    flows = run.flows[run.flows["kind"] == "launch"]
    spans = run.spans.assign(step=-1, slot=-1, args=None)
    data = trace_bytes(Trace(spans, flows, run.counters.iloc[:0], {"format": "other"}))
    app.file_uploader(key="trace-a-0").upload("a.json.gz", data)
    app.run()
    told = [text.value for text in app.caption if "guess" in text.value]
    assert not app.exception and len(told) == 1
    assert told[0].replace("\\", "").startswith("a.json.gz: These steps are a guess")


def test_one_trace_is_not_enough() -> None:
    app = open_page(COMPARE, b="none")
    assert not app.exception
    assert "Open two traces" in app.info[0].value


def test_a_trace_without_steps_cannot_be_predicted() -> None:
    app = open_page(COMPARE, a="PyTorch profiler, CPU only", predicted="sync")
    assert not app.exception
    assert "Nothing can be predicted" in app.warning[0].value


@pytest.mark.parametrize(("language", "begins"), [("en", "How to record"), ("zh", "怎样录制")])
def test_the_guide_to_recording_has_a_tab_for_each_profiler(language: str, begins: str) -> None:
    app = open_page(RECORD, lang=language, **{"with": "vLLM"})
    assert not app.exception
    assert {"PyTorch", "vLLM", "SGLang", "Nsight Systems"} <= {tab.label for tab in app.tabs}
    assert any(text.value.startswith(begins) for text in app.markdown)
    assert any("vllm serve" in text.value for text in app.markdown)
