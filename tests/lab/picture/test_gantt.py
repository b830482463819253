"""The timeline's figure, read back from its own numbers."""

from typing import Any

import plotly.graph_objects as go
import pytest

from lab.closing import both_configs, both_figures
from lab.picture.charts import busy_shares, counters, idle_bars, overview
from lab.picture.figures import ReadyFigure
from lab.picture.gantt import Gantt, Panel, draw
from lab.picture.legend import legend_html
from lab.picture.lod import MAX_RECTS
from lab.picture.palette import ALARM, HAZARD, STYLES
from lab.picture.view import drawn_names
from lab.study import Study
from lab.timeline.scene import Scene
from tests.lab.samples import STEPS, profiler_trace, study
from traces import find_gaps, idle_stretches
from traces.activity import span_union
from traces.intervals import total


def panel(of: Study, everything: bool = True) -> Panel:
    lanes = [lane for lane in of.lanes if everything or lane.main]
    return Panel("run", of.trace, of.gaps, lanes, arrows=everything)


def bars(gantt: Gantt) -> dict[str, dict[str, Any]]:
    return {trace["name"]: trace for trace in gantt.figure["data"] if trace["type"] == "bar"}


@pytest.fixture
def whole() -> Gantt:
    run = study()
    return draw([panel(run)], (0, run.run.wall_ns))


def test_plotly_accepts_every_figure() -> None:
    sync, run = study("sync"), study()
    gantt = draw([panel(sync, False), panel(run)], (0, 100_000_000))
    share = {"a": {"schedule": 1.0}}
    for figure in (
        gantt.figure,
        overview({"GPU": run.trace.gpu_spans()}, run.gaps, (0, run.run.wall_ns), (0, 10**7), 60),
        idle_bars(share, {"a": 10.0}),
        counters(run.trace, (0, 10**8)),
        both_figures(sync, run).figure,
    ):
        assert go.Figure(figure).to_dict()["layout"]["height"] > 40
        assert ReadyFigure(figure).to_dict()["data"] is figure["data"]


def test_the_overview_marks_where_its_run_ends_if_another_goes_on() -> None:
    run, sync = study(), study("sync")
    end, extent = run.run.wall_ns, (0, sync.run.wall_ns)
    whole = overview({"GPU": run.kernels}, run.gaps, extent, extent, 60, end)
    (line,) = whole["layout"]["shapes"]
    assert line["x0"] == line["x1"] == end / 1e6 < extent[1] / 1e6
    alone = overview({"GPU": run.kernels}, run.gaps, (0, end), (0, end), 60, end)
    assert not alone["layout"]["shapes"]


def test_labels_of_time_stand_upright_and_are_as_many_as_there_is_room_for(whole: Gantt) -> None:
    run, extent = study("async"), (0, 10**9)
    strip = overview({"GPU": run.kernels}, run.gaps, extent, extent, 60)
    for figure in (whole.figure, strip, counters(run.trace, extent)):
        axis = figure["layout"]["xaxis"]
        assert axis["tickangle"] == 0 and "nticks" not in axis


def test_there_is_one_bar_trace_a_style(whole: Gantt) -> None:
    names = [trace["name"] for trace in whole.figure["data"] if trace["type"] == "bar"]
    assert len(names) == len(set(names))
    assert {"host", "sync", "launch", "kernel 0", "kernel 1", "h2d 0", "d2h 1", "gap"} <= set(names)


def test_the_bars_of_a_slot_are_as_long_as_its_kernels(whole: Gantt) -> None:
    spans = study().trace.spans
    for slot in (0, 1):
        kernels = spans[(spans["kind"] == "kernel") & (spans["slot"] == slot)]
        single = [
            width
            for width, text in zip(
                bars(whole)[f"kernel {slot}"]["x"],
                bars(whole)[f"kernel {slot}"]["hovertext"],
                strict=True,
            )
            if "short spans" not in text
        ]
        assert sum(single) <= kernels["dur_ns"].sum() / 1e6 + 1e-6
        assert sum(single) >= 0.9 * kernels["dur_ns"].sum() / 1e6


def test_gap_bars_are_the_gaps() -> None:
    sync = study("sync")
    gantt = draw([panel(sync)], (0, sync.run.wall_ns))
    assert sum(bars(gantt)["gap"]["x"]) == pytest.approx(sum(g.ns for g in sync.gaps) / 1e6)
    texts = bars(gantt)["gap"]["hovertext"]
    assert any("update state" in text for text in texts)
    near = draw([panel(sync)], (30_000_000, 70_000_000))
    assert any("update state" in text for text in bars(near)["gap"]["text"])


def test_hover_has_exact_times() -> None:
    run = study()
    row = run.trace.spans[run.trace.spans["name"] == "layer 0"].iloc[0]
    start, end = int(row["ts_ns"]), int(row["ts_ns"] + row["dur_ns"])
    gantt = draw([panel(run)], (start - 1000, end + 1000))
    (text,) = [t for t in bars(gantt)["kernel 0"]["hovertext"] if "layer 0" in t]
    assert f"{start / 1e6:.6f} to {end / 1e6:.6f} ms" in text
    assert "step 0 · slot A" in text


def test_baselines_share_one_axis_with_the_run() -> None:
    gantt = draw([panel(study("sync"), False), panel(study())], (0, 80_000_000))
    layout = gantt.figure["layout"]
    assert layout["xaxis"]["range"] == [0, 80]
    assert layout["yaxis"]["ticktext"] == ["host", "compute", "host", "H2D", "compute", "D2H"]
    assert [note["text"] for note in layout["annotations"]] == ["run", "run"]


def test_arrows_are_drawn_where_they_can_be_followed() -> None:
    run = study()
    near = draw([panel(run)], (0, 120_000_000))
    far = draw([panel(run)] * 1, (0, 120_000_000 * 1000))
    arrows = [trace for trace in near.figure["data"] if trace["name"] == "event arrow"]
    assert len(arrows) == 1
    assert len(arrows[0]["x"]) % 3 == 0
    assert all(trace["type"] == "bar" or trace["name"] for trace in far.figure["data"])
    launches = draw([panel(run)], (3_600_000, 5_000_000)).figure["data"]
    assert "launch arrow" in {trace["name"] for trace in launches}


def test_the_alarm_colour_is_for_hazards_alone(whole: Gantt) -> None:
    assert ALARM not in {style.fill for style in STYLES.values()}
    assert ALARM not in str(whole.figure)
    assert "▲" not in legend_html(drawn_names(whole.figure), slots=True)


def test_a_hazard_is_marked_at_both_operations() -> None:
    scene = Scene(study(wait_h2d="off"), study("sync"), study())
    figure = draw(scene.panels([]), scene.opening.window).figure
    (marks,) = [trace for trace in figure["data"] if trace["name"] == HAZARD]
    spans = scene.run.trace.spans.set_index("correlation")
    first, second = (spans[spans["device"] == 0].loc[seq] for seq in scene.run.run.hazards[0].ops)
    assert marks["x"][:2] == [(first["ts_ns"] + first["dur_ns"]) / 1e6, second["ts_ns"] / 1e6]
    assert marks["y"][0] < marks["y"][1]
    assert "compute.wait(batch.h2d_done)" in marks["hovertext"][0]
    assert "▲" in legend_html(drawn_names(figure), slots=True)


def test_a_long_trace_stays_drawable_and_says_what_it_shows() -> None:
    trace = profiler_trace(spans=20_000)
    gaps = find_gaps(trace)
    from lab.picture.lanes import make_lanes

    lanes = make_lanes(trace, idle_stretches(trace))
    gantt = draw([Panel("", trace, gaps, lanes)], (0, 20_000 * 150_000))
    assert gantt.drawn <= MAX_RECTS
    assert gantt.spans == 20_000 * 3 + 19_999
    kernels = bars(gantt)["kernel 0"]
    assert kernels["width"].max() == pytest.approx(2 / 3, abs=0.02)


def test_an_empty_window_is_drawn_too() -> None:
    run = study()
    gantt = draw([panel(run)], (run.run.wall_ns * 5, run.run.wall_ns * 6))
    assert gantt.drawn == 0
    assert go.Figure(gantt.figure).layout.xaxis.range[0] > 0


def test_the_overview_is_busy_where_kernels_ran() -> None:
    run = study("sync")
    kernels = run.trace.spans[run.trace.spans["kind"] == "kernel"]
    shares = busy_shares(kernels, (0, run.run.wall_ns), 50)
    assert shares.mean() * run.run.wall_ns == pytest.approx(total(span_union(kernels)), rel=1e-9)
    assert shares.min() >= 0 and shares.max() <= 1 + 1e-9
    assert busy_shares(kernels.iloc[:0], (0, 100), 5).tolist() == [0] * 5


def test_the_bound_is_the_cost_models() -> None:
    sync = study("sync")
    bound, cost = sync.bound, sync.run.config.cost
    assert bound.gpu_ms == pytest.approx(cost.gpu_step_ns / 1e6, rel=0.01)
    assert bound.host_ms == pytest.approx(cost.host_step_ns / 1e6, rel=0.05)
    assert bound.step_ms == bound.gpu_ms


def test_the_first_window_is_around_the_first_fault() -> None:
    broken = study(wait_h2d="off")
    scene = Scene(broken, study("sync"), study())
    first = scene.opening.window
    assert first[0] == 0
    assert 3 * 28e6 < first[1] - first[0] <= broken.run.wall_ns


def test_a_baseline_that_is_the_run_itself_is_not_drawn_twice() -> None:
    scene = Scene(study(), study("sync"), study())
    assert list(scene.pinned(["sync", "async"])) == ["sync"]
    assert len(scene.panels(["sync", "async"])) == 2


def test_the_sliders_stretch_the_published_run() -> None:
    sync, overlapped = both_configs(12.0, 6.0)
    assert sync.cost.host_step_ns == pytest.approx(12e6, abs=10)
    assert sync.cost.gpu_step_ns == pytest.approx(6e6, abs=10)
    assert (sync.mechanisms.depth, overlapped.mechanisms.depth) == (1, 2)
    assert not sync.compute and STEPS > 0


def test_the_legend_says_that_hues_repeat_where_a_fifth_slot_may_be():
    assert "looks like slot A again" in legend_html({"kernel 0", "kernel 3"}, slots=True)
    assert "again" not in legend_html({"kernel 0", "kernel 2"}, slots=True)
    assert "again" not in legend_html({"kernel 0", "kernel 3"}, slots=False)
