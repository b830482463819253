"""Counters under the timeline: few points, true extremes, one time axis with the lanes."""

from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.picture.charts import counters
from lab.picture.counters import BINS, MAX_POINTS, STRIP_PX, counters_in, thinned
from lab.picture.gantt import LANE_PX, Panel, draw
from lab.timeline.scene import Scene
from tests.lab.samples import study

COPIED = ["bytes copied to the GPU", "bytes copied to the host"]
NAMES = ["requests waiting", "tokens in flight", "KV blocks in use", *COPIED]


def figure(window: tuple[int, int]) -> dict[str, Any]:
    return draw(Scene(study(), study("sync"), study()).panels([]), window).figure


def lines(drawn: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {d["name"]: d for d in drawn["data"] if d["name"].startswith("counter ")}


@given(st.integers(0, 2**32), st.integers(1, 20_000), st.floats(0.01, 1))
def test_thinning_keeps_the_extremes_of_every_stretch(seed: int, count: int, part: float) -> None:
    chooser = np.random.default_rng(seed)
    ns = np.sort(chooser.integers(0, 10**9, count))
    values = chooser.integers(0, 50, count).astype(float)
    window = (0, max(1, int(part * 10**9)))
    kept = thinned(ns, values, window)
    assert len(kept) <= MAX_POINTS + 6
    assert np.all(np.diff(kept) > 0) and {kept[0], kept[-1]} == {0, count - 1}
    stretch = ns * BINS // window[1]
    for number in np.unique(stretch[stretch < BINS])[:: BINS // 12]:
        inside = values[stretch == number]
        drawn = values[kept[stretch[kept] == number]]
        assert (drawn.min(), drawn.max()) == (inside.min(), inside.max())


def test_few_points_are_all_drawn() -> None:
    ns = np.arange(MAX_POINTS)
    assert thinned(ns, ns.astype(float), (0, 10)).tolist() == ns.tolist()


def test_each_counter_is_a_stepped_line_on_the_axis_of_the_lanes() -> None:
    drawn = figure((0, 120_000_000))
    found = lines(drawn)
    assert list(found) == [f"counter {name}" for name in NAMES]
    for number, line in enumerate(found.values(), 2):
        assert (line["yaxis"], line["line"]["shape"], line.get("xaxis")) == (
            f"y{number}",
            "hv",
            None,
        )
    assert drawn["layout"]["xaxis"]["anchor"] == "y6"
    assert go.Figure(drawn).layout.yaxis6.domain[0] == pytest.approx(0)


def test_a_line_holds_its_last_value_and_the_scale_is_that_of_the_peak_it_names() -> None:
    trace = study().trace
    end_ms = float(trace.counters["ts_ns"].max()) / 1e6 + 50
    for line in counters(trace, (0, round(end_ms * 1e6)))["data"]:
        assert line["x"][-1] == end_ms and line["y"][-1] == line["y"][-2]
    near = counters(trace, (0, 10**7))["layout"]
    for number, counter in enumerate(counters_in(trace, (0, 10**7)), 1):
        axis = near[f"yaxis{number}" if number > 1 else "yaxis"]
        assert axis["tickvals"] == [0, counter.peak or 1.0]


def test_the_strips_stand_below_the_lanes_without_overlap() -> None:
    layout = figure((0, 120_000_000))["layout"]
    axes = [f"yaxis{number}" for number in range(1 + len(NAMES), 1, -1)]
    domains = [layout[axis]["domain"] for axis in (*axes, "yaxis")]
    edges = [edge for domain in domains for edge in domain]
    assert edges == sorted(edges) and edges[-1] == 1
    lanes_px = layout["yaxis"]["range"][0] * LANE_PX
    height_px = layout["height"] - 50
    assert height_px == pytest.approx(lanes_px + len(NAMES) * STRIP_PX, abs=1)
    assert (1 - domains[-1][0]) * height_px == pytest.approx(lanes_px, abs=1)


def test_the_line_has_the_traces_values_and_the_scale_of_the_whole_run() -> None:
    trace = study().trace
    for counter in counters_in(trace, (0, study().run.wall_ns)):
        points = trace.counters[trace.counters["name"] == counter.name]
        assert counter.values.tolist() == points["value"].tolist()
        assert counter.ms.tolist() == (points["ts_ns"] / 1e6).tolist()
    near = {counter.name: counter for counter in counters_in(trace, (10**6, 3 * 10**6))}
    assert near["tokens in flight"].peak == study().numbers.peak["inflight_tokens"]


def test_a_window_between_two_changes_shows_the_value_that_holds() -> None:
    trace = study().trace
    points = trace.counters[trace.counters["name"] == "tokens in flight"]
    before, after = points["ts_ns"].iloc[4], points["ts_ns"].iloc[5]
    window = (int(before) + 10, int(after) - 10)
    (shown,) = [c for c in counters_in(trace, window) if c.name == "tokens in flight"]
    assert shown.values[0] == points["value"].iloc[4]
    assert shown.ms[0] * 1e6 <= window[0] and shown.ms[-1] * 1e6 >= window[1]


def test_names_and_peaks_are_written_over_the_strips() -> None:
    notes = [note["text"] for note in figure((0, 10**8))["layout"]["annotations"]]
    peak = study().numbers.peak["kv_blocks"]
    assert f"KV blocks in use, up to {peak}" in notes


def test_bytes_are_written_with_their_unit() -> None:
    drawn = figure((0, 10**8))
    service = study().run.service
    copied = [service.h2d_bytes, service.d2h_bytes]
    assert copied[0] > 1000 > copied[1]
    for number, (name, count) in enumerate(zip(COPIED, copied, strict=True), 5):
        text = f"{count / 1000:.4g} kB" if count > 1000 else f"{count} B"
        axis = drawn["layout"][f"yaxis{number}"]
        assert axis["ticktext"] == ["0", text]
        assert f"{name}, up to {text}" in [note["text"] for note in drawn["layout"]["annotations"]]
        hovered = lines(drawn)[f"counter {name}"]["text"]
        assert hovered and all(one.endswith((" B", " kB")) for one in hovered)


def test_the_tab_has_each_name_above_its_field_and_bytes_in_the_same_words() -> None:
    drawn = counters(study().trace, (0, study().run.wall_ns))
    layout = go.Figure(drawn).layout
    fields = [layout[f"yaxis{number or ''}"] for number in ("", 2, 3, 4, 5)]
    for field, upper in zip(fields[1:], fields, strict=False):
        assert field.domain[1] < upper.domain[0] and not field.title.text
    assert [note["text"].rpartition(", up to ")[0] for note in layout.annotations] == NAMES
    for field, line in zip(fields, drawn["data"], strict=True):
        assert field.ticktext[1] in line["text"]


def test_baselines_have_no_counters_of_their_own() -> None:
    run = study()
    plain = draw([Panel("run", run.trace, run.gaps, run.lanes)], (0, 10**8)).figure
    assert lines(plain) == {} and "domain" not in plain["layout"]["yaxis"]
