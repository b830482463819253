"""The pages themselves, run by Streamlit's AppTest without a browser."""

import pytest
from streamlit.testing.v1 import AppTest

from engine.mechanisms.table import TABLE
from lab.escape import for_markdown
from tests.lab.apps import INSPECT, TIMELINE, charts, metrics, open_page, timeline


def step_ms(app: AppTest) -> float:
    return float(metrics(app)["Step"].split()[0])


def test_home_shows_both_runs_and_their_numbers() -> None:
    app = open_page()
    assert not app.exception
    titles = [note["text"] for note in charts(app)[0]["layout"]["annotations"]]
    assert titles == ["Taking turns (sync)", "Overlapped (async)"]
    active = [float(m.value.split()[0]) for m in app.metric if m.label == "GPU active"]
    assert 75.5 <= active[0] <= 76.5 and active[1] >= 99.0


def test_the_sliders_close_the_gap_and_say_who_sets_the_pace() -> None:
    app = open_page()
    app.slider(key="cpu").set_value(40.0).run()
    assert not app.exception
    active = [float(m.value.split()[0]) for m in app.metric if m.label == "GPU active"]
    assert active[0] < 45 and 60 < active[1] < 75
    assert any("**CPU** sets the pace" in text.value for text in app.markdown)


def test_the_timeline_opens_with_the_correct_run() -> None:
    app = timeline()
    assert not app.exception
    shown = metrics(app)
    assert shown["Hazards"] == "0" and shown["Wrong tokens"] == "0"
    assert shown["Invariants"] == "hold"
    names = [trace.get("name") for trace in charts(app)[1]["data"]]
    assert {"gap", "kernel 0", "kernel 1", "event arrow"} <= set(names)


def test_a_switched_toggle_shows_hazard_fix_and_marked_tokens() -> None:
    app = timeline()
    app.segmented_control(key="wait_compute").set_value("off").run()
    assert not app.exception
    shown = metrics(app)
    assert shown["Hazards"].startswith(":red[▲") and shown["Wrong tokens"].startswith(":red[▲")
    assert any('<b class="wrong">' in block.proto.body for block in app.get("html"))
    app.session_state["tab"] = "hazards"
    app.run()
    assert any("d2h.wait(batch.compute_done)" in code.value for code in app.code)
    edges = app.table[0].value["Missing edge"].str.replace("\u200b", "").tolist()
    assert edges == [for_markdown("compute_done → d2h")]


def test_a_scene_sets_its_toggles_and_reset_brings_them_back() -> None:
    app = timeline()
    app.selectbox(key="mode").set_value("no-wait-compute").run()
    assert app.segmented_control(key="wait_compute").value == "off"
    app.segmented_control(key="wait_h2d").set_value("off").run()
    app.button(key="reset-wait_h2d").click().run()
    assert app.segmented_control(key="wait_h2d").value == "on"
    app.segmented_control(key="wait_compute").set_value("on").run()
    app.button(key="reset-all").click().run()
    assert app.segmented_control(key="wait_compute").value == "off"
    app.selectbox(key="mode").set_value("async").run()
    assert app.segmented_control(key="wait_compute").value == "on"
    assert not app.exception


def test_a_cost_model_brings_its_workload_along() -> None:
    app = timeline(compute="off")
    app.selectbox(key="cost").set_value("worked-2-6").run()
    assert not app.exception
    assert app.selectbox(key="workload").value == "independent"


def test_the_times_of_a_step_are_a_cost_model() -> None:
    app = timeline(compute="off", mode="sync", cost="C2-G6-F1")
    assert not app.exception and not app.warning
    assert 8.9 < step_ms(app) < 9.1
    app = timeline(compute="off", mode="sync", cost="C4-G")
    assert not app.exception
    assert "no cost model" in app.sidebar.error[0].value
    assert "cost=C4-G" in app.warning[0].value.replace("\\", "")


def test_a_url_restores_scene_changes_and_window() -> None:
    app = timeline(mode="no-wait-compute", wait_h2d="off", depth="3", t0="10", t1="20")
    assert not app.exception
    assert app.selectbox(key="mode").value == "no-wait-compute"
    assert app.segmented_control(key="wait_h2d").value == "off"
    assert app.number_input(key="depth").value == 3
    assert charts(app)[1]["layout"]["xaxis"]["range"] == [10, 20]


def test_nonsense_in_the_url_is_ignored() -> None:
    app = timeline(
        mode="no-such", cost="x", workload="<b>", wait_h2d="maybe", depth="-7", t0="9", t1="abc",
        jitter="1e9", batch="0", seed="-1", tab="none",
    )  # fmt: skip
    assert not app.exception
    assert app.selectbox(key="mode").value == "async"
    assert app.segmented_control(key="wait_h2d").value == "on"
    assert app.number_input(key="depth").value == 2


@pytest.mark.parametrize("tab", ["text", "hazards", "idle", "service", "spans", "invariants"])
def test_every_tab_draws(tab: str) -> None:
    app = timeline(compute="off", mode="no-sync-d2h", tab=tab)
    assert app.session_state["tab"] == tab
    assert not app.exception and not app.error


def test_a_zoom_is_kept_when_a_toggle_is_switched() -> None:
    app = timeline(compute="off")
    app.session_state["t0"], app.session_state["t1"] = 30.0, 45.0
    app.run()
    app.selectbox(key="streams").set_value("one").run()
    assert charts(app)[1]["layout"]["xaxis"]["range"] == [30, 45]
    app.button(key="timeline-reset").click().run()
    assert charts(app)[1]["layout"]["xaxis"]["range"][0] == 0


def test_a_known_error_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.workloads.workload import WorkloadError

    def fail(*_: object) -> None:
        raise WorkloadError("request r0 needs 9 KV blocks and the pool has 3")

    monkeypatch.setattr("lab.runs.execute", fail)
    app = timeline(compute="off", wait_h2d="off", seed="77")
    assert not app.exception
    assert "needs 9 KV blocks" in app.error[0].value


def test_what_a_url_asks_for_in_vain_is_told_in_one_sentence() -> None:
    app = timeline(compute="off", wait_h2d="maybe", depth="-7", cost="x")
    (warning,) = app.warning
    assert all(
        entry in warning.value.replace("\\", "")
        for entry in ("wait_h2d=maybe", "depth=-7", "cost=x")
    )
    assert "compute" not in warning.value
    assert not timeline(compute="off", wait_h2d="off").warning


def test_a_scenes_sentence_goes_when_its_own_toggle_is_mended() -> None:
    app = timeline(mode="no-wait-compute", compute="off")
    sentence = "D2H does not wait for compute_done"
    assert sum(sentence in caption.value for caption in app.main.caption) == 1
    app.segmented_control(key="wait_h2d").set_value("off").run()
    assert sum(sentence in caption.value for caption in app.main.caption) == 1
    app.segmented_control(key="wait_compute").set_value("on").run()
    assert not any(sentence in caption.value for caption in app.main.caption)
    assert any("wait_compute was changed" in caption.value for caption in app.main.caption)


@pytest.mark.parametrize("page", ["", TIMELINE, INSPECT])
def test_every_page_has_one_heading_of_the_first_level(page: str) -> None:
    app = open_page(page)
    assert sum(text.value.startswith("# ") for text in app.markdown) == 1


@pytest.mark.parametrize(
    ("page", "language", "title"),
    [
        ("", "en", "Overlap Lab"),
        (TIMELINE, "en", "Timeline · Overlap Lab"),
        (TIMELINE, "zh", "时间线 · Overlap Lab"),
    ],
)
def test_the_browsers_tab_names_the_page(
    page: str, language: str, title: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(
        "streamlit.set_page_config", lambda page_title, **_: told.append(page_title)
    )
    open_page(page, lang=language)
    assert told[-1] == title


def panel(app: AppTest) -> list[str]:
    """The rows of "What is switched"."""
    return [text.value for text in app.main.markdown if "In this run: " in text.value]


def test_a_fault_without_a_hazard_has_a_named_cause_and_a_way_back() -> None:
    app = timeline(carry="none")
    assert metrics(app)["Hazards"] == "0"
    (row,) = panel(app)
    assert "`carry = none`" in row and "Usually seen: wrong tokens" in row
    assert "In this run: wrong tokens" in row
    app.button(key="put-back-carry").click().run()
    assert not panel(app) and app.selectbox(key="carry").value == "select"


def test_a_toggle_of_the_scene_is_put_back_to_its_right_value() -> None:
    app = timeline(mode="item-sync", compute="off")
    (row,) = panel(app)
    assert "idle beyond the async baseline" in row and ".item()" in row.replace("\\", "")
    app.button(key="put-back-item_sync").click().run()
    assert not panel(app) and app.segmented_control(key="item_sync").value == "off"


def test_the_correct_run_has_no_panel() -> None:
    assert not panel(timeline(compute="off"))


def test_a_link_with_a_toggle_opens_its_group_with_a_badge() -> None:
    app = timeline(wait_h2d="off", compute="off")
    groups = {group.label: group.proto.expanded for group in app.sidebar.expander}
    assert groups["order :blue-badge[1]"] is True
    assert not any(opened for label, opened in groups.items() if "badge" not in label)


def test_help_has_no_shorthand() -> None:
    app = timeline(compute="off")
    assert "wrong tokens, a hazard (read after write" in app.segmented_control(key="wait_h2d").help


def test_a_switch_is_found_by_its_name_and_switched_where_it_is_found() -> None:
    app = timeline(compute="off")
    assert {TABLE[0].name, TABLE[-1].name} <= {
        option.partition(":")[0] for option in app.selectbox(key="found-switch").options
    }
    app.selectbox(key="found-switch").set_value("wait_h2d").run()
    app.radio(key="found-switch-wait_h2d").set_value("off").run()
    assert not app.exception
    assert app.segmented_control(key="wait_h2d").value == "off"
    app.segmented_control(key="wait_h2d").set_value("on").run()
    assert app.radio(key="found-switch-wait_h2d").value == "on"
    app.selectbox(key="found-switch").set_value("depth").run()
    app.number_input(key="found-switch-depth").set_value(3).run()
    assert app.number_input(key="depth").value == 3
