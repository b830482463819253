"""The selected span is framed, and its flows are drawn however crowded the window is."""

import pytest

from lab.gantt import Panel, draw
from lab.inspection import Inspection
from lab.legend import EVENT_ARROW
from lab.palette import MARKED
from tests.lab.samples import profiler_trace, study
from traces import Trace


def drawn(trace: Trace, span: int, window: tuple[int, int]) -> dict[str, dict]:
    opened = Inspection(trace, "x", "k")
    panel = opened.panel([lane.key for lane in opened.lanes], span)
    bare = Panel("", trace, opened.gaps, panel.lanes, marked=span)
    return {trace.get("name", ""): trace for trace in draw([bare], window).figure["data"]}


def with_launch() -> tuple[Trace, int, int]:
    trace = profiler_trace(spans=2)
    kinds = trace.spans["kind"].tolist()
    launch, kernel = kinds.index("launch"), kinds.index("kernel")
    trace.flows.loc[0] = [launch, kernel, "launch"]
    return trace, launch, kernel


def test_a_frame_stands_around_the_span_and_an_arrow_comes_from_its_launch() -> None:
    trace, launch, kernel = with_launch()
    traces = drawn(trace, kernel, (0, 300_000))
    start = trace.spans["ts_ns"][kernel] / 1e6
    assert min(traces[MARKED]["x"]) == start
    assert max(traces[MARKED]["x"]) == pytest.approx(0.12)
    end = (trace.spans["ts_ns"][launch] + trace.spans["dur_ns"][launch]) / 1e6
    assert traces[EVENT_ARROW]["x"][:2] == [end, start]


def test_a_span_outside_of_the_window_is_not_marked() -> None:
    trace, _, kernel = with_launch()
    assert MARKED not in drawn(trace, kernel, (200_000, 300_000))


def test_of_an_engines_run_every_flow_of_the_span_is_drawn() -> None:
    trace = study("sync").trace
    copies = trace.spans.index[trace.spans["kind"] == "d2h"]
    span = int(copies[1])
    tied = trace.flows[(trace.flows["src"] == span) | (trace.flows["dst"] == span)]
    traces = drawn(trace, span, (0, int(trace.spans["ts_ns"].max())))
    assert len(tied) and len(traces[EVENT_ARROW]["x"]) // 3 <= len(tied)
