"""What the canvas draws: few bars that tell the truth, with the critical path over them."""

import json

import numpy as np
import pytest

from lab.inspect.canvas_picture import Shown, make_picture
from lab.inspect.inspection import Inspection
from lab.picture.legend import legend_html
from lab.picture.palette import PATH, PATH_WAIT
from lab.picture.path_lanes import PathLanes
from tests.lab.samples import HOSTILE, profiler_trace, study
from traces import CriticalPath, PathSegment, Trace, find_critical_path
from traces.gap import LATENCY, NOT_ASKED


def opened(trace: Trace) -> Inspection:
    return Inspection(trace, "x", "k")


def picture(trace: Trace, **shown) -> dict:
    inspection = opened(trace)
    keys = [lane.key for lane in inspection.lanes]
    return make_picture(inspection, Shown(keys, inspection.extent, **shown)).data


def test_bars_are_as_long_as_the_spans_and_know_them() -> None:
    trace = profiler_trace(spans=3)
    bars = picture(trace)["bars"]
    kernels = trace.spans.index[trace.spans["kind"] == "kernel"].tolist()
    own = [place for place, span in enumerate(bars["span"]) if span in kernels]
    assert [bars["x"][place] for place in own] == trace.spans["ts_ns"][kernels].tolist()
    assert {bars["w"][place] for place in own} == {100_000}
    assert all("0.100000 ms" in bars["told"][place][1] for place in own)


def test_times_count_from_the_traces_beginning_whatever_its_clock() -> None:
    trace = profiler_trace(spans=3)
    later = Trace.from_rows(
        trace.spans.assign(ts_ns=trace.spans["ts_ns"] + 1_700_000_000_000_000_001).to_dict("list"),
        meta=trace.meta,
    )
    early, late = picture(trace), picture(later)
    assert late["bars"]["x"] == early["bars"]["x"] and late["window"] == early["window"]
    assert max(late["bars"]["x"]) < 1 << 53
    assert any(told[1].startswith("1,700,000,000,000.020001 to") for told in late["bars"]["told"])


def test_a_long_trace_needs_few_bars_and_none_of_many_spans_is_full() -> None:
    trace = profiler_trace(spans=8_000)
    data = picture(trace)
    bars = data["bars"]
    assert len(bars["x"]) <= 4000 and len(json.dumps(data)) < 2_000_000
    kernels = [place for place, strip in enumerate(bars["strip"]) if strip == 1]
    shares = [bars["share"][place] for place in kernels if bars["count"][place] > 1]
    assert len(shares) > 100 and np.mean(shares) == pytest.approx(2 / 3, abs=0.02)
    assert sum(bars["count"]) == 8_000 * 3 + 7_999
    assert all(
        span == -1 for span, count in zip(bars["span"], bars["count"], strict=True) if count > 1
    )


def test_the_width_of_the_drawing_decides_how_many_bars_there_are() -> None:
    trace = profiler_trace(spans=2_000)
    few, many = (len(picture(trace, plot_px=px)["bars"]["x"]) for px in (200, 1600))
    assert few < many / 4


def test_gaps_have_no_cause_before_they_are_explained_and_then_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trace = profiler_trace(spans=4)
    inspection = opened(trace)
    shown = Shown(inspection.first_lanes, inspection.extent)
    monkeypatch.setattr("lab.inspect.inspection.QUICK_SPANS", 0)
    before = make_picture(inspection, shown).data["bars"]
    inspection.explain()
    after = make_picture(inspection, shown).data["bars"]
    assert before["x"] == after["x"] and before["w"] == after["w"]
    gaps = [place for place, told in enumerate(before["told"]) if NOT_ASKED in told[-1]]
    assert len(gaps) == 3
    assert not any(NOT_ASKED in " ".join(after["told"][place]) for place in gaps)


def test_names_of_a_hostile_file_are_one_line_each() -> None:
    bars = picture(profiler_trace(HOSTILE, spans=3))["bars"]
    texts = [text for group in (*bars["told"], *bars["text"]) for text in group]
    assert any(HOSTILE[:8] in text for text in texts)
    assert not any("\n" in text or "\u202e" in text or len(text) > 120 for text in texts)


def test_the_picture_of_an_engines_run_has_its_counters_and_of_another_none() -> None:
    labels = [counter["label"] for counter in picture(study().trace)["counters"]]
    assert any("tokens in flight" in label for label in labels)
    assert picture(profiler_trace(spans=3))["counters"] == []


@pytest.mark.parametrize("trace", [study("sync").trace, study().trace, profiler_trace(spans=5)])
def test_the_path_covers_the_run_once_on_the_lanes_of_its_spans(trace: Trace) -> None:
    path = find_critical_path(trace)
    lanes = PathLanes(trace, path)
    keys = [lane.key for lane in opened(trace).lanes]
    layers = [lanes.layer(key) for key in keys]
    assert sum(int(layer.dur.sum()) for layer in layers) == path.ns
    drawn = sorted(place for layer in layers for place in layer.span.tolist())
    assert drawn == list(range(len(path.segments)))


def test_where_the_path_changes_its_lane_it_is_joined() -> None:
    trace = study("sync").trace
    path = find_critical_path(trace)
    lanes = PathLanes(trace, path)
    keys = [lane.key for lane in opened(trace).lanes]
    end = path.segments[-1].end_ns
    links = lanes.links((0, end // 4), keys)
    assert links and all(one != other for _, one, other in links)
    ends = {segment.end_ns for segment in path.segments}
    assert all(at in ends for at, _, _ in links)
    assert lanes.links((0, end // 4), keys[:1]) == []


def test_a_path_without_segments_draws_nothing() -> None:
    lanes = PathLanes(profiler_trace(), CriticalPath(()))
    assert len(lanes.layer("0/7").start) == 0 and lanes.links((0, 100), ["0/7"]) == []


def test_waits_on_the_path_have_their_own_line_in_the_legend() -> None:
    trace = profiler_trace(spans=2)
    kernel = trace.spans["kind"].tolist().index("kernel")
    path = CriticalPath(
        (
            PathSegment(0, 15_000, "python · thread 7", "aten::gemm", 1, ""),
            PathSegment(15_000, 20_000, LATENCY, LATENCY, kernel, "launch"),
            PathSegment(20_000, 120_000, "GPU 0 · stream 7", "gemm", kernel, "launch"),
        )
    )
    inspection = opened(trace)
    shown = Shown(inspection.first_lanes, inspection.extent, path=PathLanes(trace, path))
    names = make_picture(inspection, shown).names
    assert {PATH, PATH_WAIT} <= set(names)
    assert "wait on the critical path" in legend_html(names, slots=False)


def test_a_trace_without_spans_is_an_empty_picture() -> None:
    data = picture(Trace.from_rows([], meta={"format": "x"}))
    assert data["bars"]["x"] == [] and data["lanes"] == [] and data["window"] == [0, 1]
