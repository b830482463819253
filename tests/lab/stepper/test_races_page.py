"""The Race explorer's page, and its histogram."""

from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from engine import configure
from engine.timings.explore import Exploration, Outcome, cut_where_it_races
from engine.timings.smallest import Change
from lab.stepper.race_picture import histogram
from tests.lab.apps import open_page


def races(**query: str) -> AppTest:
    return open_page("lab/pages/races.py", **{"steps": "6", **query})


def metrics(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def test_the_page_says_what_to_do_before_anything_has_run() -> None:
    app = races()
    assert not app.exception
    assert any("Press “Run”" in caption.value for caption in app.caption)
    assert not app.metric


def test_a_racing_mode_shows_share_histogram_and_hazards_and_opens_a_run() -> None:
    app = races(mode="no-wait-compute")
    app.button(key="races-start").click().run()
    assert not app.exception and not app.error
    shown = metrics(app)
    assert shown["Runs with wrong tokens"] == ":red[▲ 100.0 %]"
    assert shown["Hazards"] == ":red[▲ 1]"
    assert len(app.get("plotly_chart")) == 1
    app.button(key="races-open-3").click().run()
    assert not app.exception
    assert app.number_input(key="timing").value == 3
    assert app.number_input(key="jitter").value == 25.0
    assert metrics(app) == shown
    assert [link.proto.label for link in app.get("page_link")] == [
        "Timing 3 on the Timeline page", "Timing 3 in the Stepper",
    ]  # fmt: skip


def test_a_correct_mode_is_right_in_all_runs() -> None:
    app = races()
    app.button(key="races-start").click().run()
    assert metrics(app)["Runs with wrong tokens"] == "0.0 %"
    assert any("no timing can make them wrong" in caption.value for caption in app.caption)


def test_another_configuration_does_not_show_the_old_ones_runs() -> None:
    app = races(mode="no-wait-compute")
    app.button(key="races-start").click().run()
    assert app.metric
    app.segmented_control(key="wait_compute").set_value("on").run()
    assert not app.metric


def test_a_race_that_shows_needs_no_change() -> None:
    app = races(mode="no-wait-compute")
    app.button(key="races-search").click().run()
    assert "No change is needed" in app.info[0].value


def test_the_smallest_change_leads_to_a_fork_that_makes_it() -> None:
    app = races(mode="partial-fence")
    config = cut_where_it_races(configure("partial-fence", steps=6))
    app.session_state["races-found"] = config, Change("compute.embed", -84)
    app.run()
    assert not app.exception
    assert "`compute.embed`" in app.info[0].value and "84 % shorter" in app.info[0].value
    (link,) = app.get("page_link")
    assert dict(parse_qsl(link.proto.query_string)) == {
        "fork_at": "0", "fork_set": "compute.embed=0.16x",
    }  # fmt: skip


def test_timing_alone_has_no_tokens_to_be_wrong() -> None:
    app = races(compute="off")
    assert "Compute tokens" in app.info[0].value
    assert not any(button.key == "races-start" for button in app.button)


@pytest.mark.parametrize("firsts", [[], [2, 2, 5, -1]])
def test_the_histogram_counts_runs_by_their_first_wrong_step(firsts: list[int]) -> None:
    outcomes = [Outcome(number, first) for number, first in enumerate(firsts)]
    found = Exploration(config=None, jitter_percent=5.0, outcomes=outcomes)
    (bars,) = histogram(found.histogram, 8)["data"]
    assert dict(zip(bars["x"], bars["y"], strict=True)) == ({2: 2, 5: 1} if firsts else {})
    assert found.share == (0.75 if firsts else 0.0)
