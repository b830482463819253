"""The Record page: a measured run beside its prediction, one at a time, and nothing left behind."""

import json
import threading
from typing import Any
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from engine import configure
from engine.device.step_cost import cost_named, times_in
from engine.measured.fit import FitError
from lab.record import measuring
from lab.record.measuring import BusyError, measure
from tests.lab.apps import open_page


def record_page(**query: str) -> AppTest:
    return open_page("lab/pages/record.py", **{"steps": "5", **query})


def metrics(app: AppTest) -> dict[str, tuple[str, str]]:
    return {metric.label: (metric.value, metric.delta) for metric in app.metric}


def stream_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("stream ")]


def nothing_goes_on() -> bool:
    """No thread of a device is left, and another run may be measured."""
    free = measuring._machine.acquire(blocking=False)
    if free:
        measuring._machine.release()
    return free and stream_threads() == []


# ------------------------------------------------------------------------ without a page


def test_a_recording_holds_the_run_and_its_prediction() -> None:
    begun: list[int] = []
    config = configure("async", device="threads", steps=6)
    found = measure(config, begun.append)
    assert found.config == config and found.study.run.steps == found.prediction.run.steps == 6
    assert found.prediction.run.config.device == "virtual"
    assert found.prediction.run.config.cost == found.cost
    assert found.study.diff.count == found.prediction.diff.count == 0
    assert begun[0] == 0
    assert nothing_goes_on()


def test_whoever_stops_a_recording_gets_their_own_exception_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stop(steps: int) -> None:
        if steps >= 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(measuring, "TOLD_EVERY_S", 0.0)
    with pytest.raises(KeyboardInterrupt):
        measure(configure("async", device="threads"), stop)
    assert nothing_goes_on()


def test_only_one_recording_is_made_at_a_time() -> None:
    config = configure("async", device="threads", steps=5)

    def another(steps: int) -> None:
        with pytest.raises(BusyError, match="another recording is under way"):
            measure(config, lambda _: None)

    measure(config, another)
    assert nothing_goes_on()


def test_the_time_limit_ends_a_run_whose_beginning_is_kept_and_predicted() -> None:
    config = configure("async", device="threads", pace=True, steps=60)
    found = measure(config, lambda _: None, limit_s=0.2)
    assert found.study.run.stopped
    assert 2 <= found.study.run.steps == found.prediction.run.steps < 60
    assert found.study.diff.count == 0
    assert nothing_goes_on()


def test_a_run_without_a_step_predicts_nothing() -> None:
    with pytest.raises(FitError):
        measure(configure("async", device="threads"), lambda _: None, limit_s=-1.0)
    assert nothing_goes_on()


# -------------------------------------------------------------------------------- the page


def test_the_page_says_what_to_do_before_anything_is_recorded() -> None:
    app = record_page()
    assert not app.exception and not app.metric
    assert any("Press “Record”" in caption.value for caption in app.caption)
    assert sum(text.value.startswith("# ") for text in app.markdown) == 1


def test_a_recording_shows_figures_and_both_timelines_and_can_be_taken_along() -> None:
    app = record_page()
    app.button(key="record-start").click().run()
    assert not app.exception and not app.error
    shown = metrics(app)
    assert shown["Wrong tokens"] == ("0", "predicted 0")
    assert shown["Hazards"] == ("0", "predicted 0")
    assert shown["Step"][1].endswith("×")
    titles = [note["text"] for note in figure(app)["layout"]["annotations"]]
    assert [title.split(" ")[0] for title in titles] == ["Measured", "Predicted"]
    assert "Compute active" in shown and not any("GPU active" in title for title in titles)
    assert any("where the run is warm" in caption.value for caption in app.caption)
    (taken,) = [
        link.proto for link in app.get("page_link")
        if link.proto.label == "Its cost model on the Timeline page"
    ]  # fmt: skip
    (times,) = parse_qs(taken.query_string)["cost"]
    fitted = app.session_state["recording"].cost
    assert times_in(cost_named(times)).compute == pytest.approx(times_in(fitted).compute, rel=1e-3)
    assert cost_named(times).host_step_ns == pytest.approx(fitted.host_step_ns, rel=0.2)
    app.switch_page("lab/pages/inspect.py").run()
    app.selectbox(key="sample").set_value("recorded").run()
    assert not app.exception and not app.error
    assert any("A run of this lab: mode async" in c.value.replace("\\", "") for c in app.caption)
    app.switch_page("lab/pages/timeline.py").run()
    assert not app.exception and not app.warning


def figure(app: AppTest) -> dict[str, Any]:
    return json.loads(app.get("plotly_chart")[1].proto.spec)


def test_a_race_that_is_held_open_shows_wrong_tokens() -> None:
    app = record_page(mode="no-wait-h2d")
    app.radio(key="record-way").set_value("widened").run()
    app.button(key="record-start").click().run()
    assert not app.exception and not app.error
    shown = metrics(app)
    assert shown["Wrong tokens"][0].startswith(":red[▲")
    assert shown["Hazards"][0] == f":red[▲ {shown['Hazards'][1].removeprefix('predicted ')}]"


def test_the_recording_stays_when_the_sidebar_moves_on() -> None:
    app = record_page()
    app.button(key="record-start").click().run()
    app.selectbox(key="mode").set_value("sync").run()
    assert not app.exception
    assert any(text.value.startswith("## async on threads") for text in app.markdown)


def test_what_the_device_cannot_do_is_one_sentence() -> None:
    app = record_page(jitter="5")
    app.button(key="record-start").click().run()
    assert not app.exception
    assert "it needs pace, too" in app.error[0].value
    assert nothing_goes_on()


def test_a_busy_server_is_one_sentence() -> None:
    app = record_page()
    with measuring._machine:
        app.button(key="record-start").click().run()
    assert not app.exception and not app.metric
    assert "another recording is under way" in app.error[0].value


def test_timing_alone_cannot_be_recorded() -> None:
    app = record_page(compute="off")
    assert "Compute tokens" in app.info[0].value
    assert not any(button.key == "record-start" for button in app.button)
