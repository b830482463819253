"""A hazard's two accesses, the dashed edge, and the edge added."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from engine.modes.table import MODES
from engine.oplog import HOST
from lab.picture.accesses import pair_traces, pair_window, same_pair
from lab.picture.gantt import Panel, draw
from tests.lab.samples import study

APP = str(Path(__file__).resolve().parents[3] / "app.py")
RACING = [mode.name for mode in MODES.values() if "H" in mode.expect]


class Lane:
    top, bottom, middle, busy = 0.0, 1.0, 0.5, True


def pairs(mode: str):
    run = study(mode)
    log = run.run.device.log.ops
    return [(run, [log[seq] for seq in hazard.ops]) for hazard in run.run.hazards]


@pytest.mark.parametrize("mode", RACING)
def test_both_accesses_of_every_hazard_are_framed_within_the_window(mode: str) -> None:
    for run, pair in pairs(mode):
        start, end = pair_window(pair, run.run.wall_ns)
        panel = Panel("", run.trace, run.gaps, run.lanes, pair=tuple(pair), pair_races=True)
        drawn = draw([panel], (start, end)).figure["data"]
        frames = [d for d in drawn if len(d["x"]) == 5 and d.get("name") == "hazard"]
        assert [frame["x"][0] for frame in frames] == [op.start_ns / 1e6 for op in pair]
        assert all(start <= x * 1e6 <= end for frame in frames for x in frame["x"])
        (edge,) = [d for d in drawn if d.get("line", {}).get("dash") == "dash"]
        assert edge["x"] == [pair[0].end_ns / 1e6, pair[1].start_ns / 1e6]


def test_an_added_edge_is_not_drawn_as_missing() -> None:
    ((_, pair),) = pairs("no-wait-compute")
    places = {"host": Lane(), **{f"0/{op.stream}": Lane() for op in pair if op.stream != HOST}}
    assert len(pair_traces(pair, places, missing=True)) == 3
    assert len(pair_traces(pair, places, missing=False)) == 2
    assert pair_traces(pair, {}, missing=True) == []


def test_the_pair_is_found_again_in_another_run() -> None:
    ((run, pair),) = pairs("no-wait-compute")
    again = same_pair(pair, study("async").run.device.log.ops)
    assert [(op.name, op.step) for op in again] == [(op.name, op.step) for op in pair]
    assert same_pair(pair, run.run.device.log.ops) == pair
    assert same_pair(pair, []) == []


def hazards_tab(mode: str, **address: str) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=60)
    app.query_params["steps"], app.query_params["mode"] = "8", mode
    for name, value in {"tab": "hazards", "anatomy-0": "true", **address}.items():
        app.query_params[name] = value
    return app.switch_page("lab/pages/timeline.py").run()


def test_adding_the_edge_shows_the_hazard_gone_and_the_tokens_right() -> None:
    app = hazards_tab("no-wait-compute")
    assert not app.exception
    before = len(app.get("plotly_chart"))
    app.toggle(key="add-edge-0").set_value(True).run()
    assert not app.exception
    assert len(app.get("plotly_chart")) == before + 1
    (said,) = app.success
    assert "this hazard is gone" in said.value
    assert (
        "Hazards: 1 before, 0 after" in said.value and "0 after." in said.value.split("tokens")[1]
    )
    link = app.code[0].value
    assert "tab=hazards" in link and "anatomy-0=true" in link and "add-edge-0=true" in link


def test_a_link_opens_the_view_of_a_mended_hazard() -> None:
    app = hazards_tab("no-wait-compute", **{"add-edge-0": "true"})
    assert not app.exception
    assert "this hazard is gone" in app.success[0].value
