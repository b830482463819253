"""Forks on the Stepper page: made at the cursor, shared by the URL, shown beside the parent."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from engine import configure
from engine.forks.divergence import divergence
from engine.forks.fork import CHANGEABLE, FIXED, make_fork
from engine.recording.recording import record
from lab.runs import Forked, Stepped
from lab.stepper.picture import two_futures
from lab.study import Study
from tests.lab.apps import in_address, stepper

BROKEN = {"at": "60", "fork_at": "60", "fork_set": "wait_compute=off"}


def labels(app: AppTest) -> dict[str, str]:
    return {button.key: button.label for button in app.button if button.key}


def test_a_fork_is_made_at_the_cursor_and_undone() -> None:
    app = stepper(at="60")
    assert "fork-spans" not in labels(app) and not app.session_state["fork-fold"]
    app.selectbox(key="fork-what").set_value("wait_compute").run()
    app.selectbox(key="fork-value-wait_compute").set_value("off").run()
    app.button(key="fork-here").click().run()
    assert not app.exception and not app.error
    assert app.session_state["fork-fold"]  # what else may change stands there
    assert app.number_input(key="fork_at").value == 60.0
    assert app.text_input(key="fork_set").value == "wait_compute=off"
    assert {"fork-spans", "fork-memory", "fork-tokens"} <= set(labels(app))
    app.selectbox(key="fork-what").set_value("h2d").run()
    app.button(key="fork-here").click().run()
    assert app.text_input(key="fork_set").value == "wait_compute=off h2d=3x"
    app.button(key="fork-undo").click().run()
    assert app.number_input(key="fork_at").value is None
    assert "fork-spans" not in labels(app)


def test_a_shared_fork_says_where_it_first_differs_and_goes_there() -> None:
    app = stepper(**BROKEN)
    assert not app.exception and not app.error
    text = labels(app)
    assert "of batch 3 at" in text["fork-spans"] and "host outputs" in text["fork-memory"]
    assert text["fork-tokens"].startswith("output token")
    app.button(key="fork-tokens").click().run()
    assert float(in_address(app, "at")) > 60.0


def test_the_state_of_either_future_can_be_looked_at() -> None:
    shown = {}
    for look in ("fork", "parent"):
        app = stepper(**{**BROKEN, "at": "110", "look": look})
        shown[look] = "".join(block.proto.body for block in app.get("html"))
    plain = stepper(at="110")
    alone = "".join(block.proto.body for block in plain.get("html"))
    assert shown["parent"] != shown["fork"]
    assert shown["parent"].split('class="stepper"')[1:] == alone.split('class="stepper"')[1:]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ("device_slots=3", "cannot change in the middle of a run"), ("h2d=soon", "3x or 12ms"),
        ("nothing", "NAME=VALUE"), ("no_such=1", "is neither"),
    ],
)  # fmt: skip
def test_a_fork_that_cannot_be_made_says_so_and_shows_the_run(changes: str, told: str) -> None:
    app = stepper(at="60", fork_at="60", fork_set=changes)
    assert not app.exception
    assert told in app.error[0].value.replace("\\", "")
    assert len(app.get("plotly_chart")) == 1


def test_what_can_change_is_offered_and_what_cannot_is_named() -> None:
    app = stepper(at="60", fork_at="60")
    offered = app.selectbox(key="fork-what").options
    assert all(f"toggle {name}" in offered for name in CHANGEABLE)
    named = next(caption.value for caption in app.caption if "cannot change" in caption.value)
    assert all(f"`{name}`" in named for name in FIXED)
    assert any("the same, from beginning to end" in caption.value for caption in app.caption)


def test_both_futures_are_drawn_on_one_time_axis_with_their_marks() -> None:
    found = futures()
    figure = two_futures(found, 60_000_000).figure
    layout = figure["layout"]
    assert [k for k in layout if k.startswith("xaxis")] == ["xaxis"]
    titles = [note["text"] for note in layout["annotations"]]
    fork_title = "fork from 60.000000 ms on: wait_compute=off"
    assert titles[:2] == ["parent: the run as it was", fork_title]
    lines = {shape["name"]: shape["x0"] * 1e6 for shape in layout["shapes"] if "name" in shape}
    assert lines["cursor"] == lines["fork"] == 60_000_000
    assert round(lines["spans"]) == found.first.spans.at_ns
    assert {"other span", "other content", "fork", "now"} <= set(titles)


def futures() -> Forked:
    config = configure("async", steps=8)
    fork = replace(config, fork=make_fork(60.0, {"wait_compute": "off"}))
    parent, forked = (
        Stepped(recording, Study(recording.run)) for recording in map(record, (config, fork))
    )
    return Forked(parent, forked, 60_000_000, divergence(parent.recording, forked.recording))
