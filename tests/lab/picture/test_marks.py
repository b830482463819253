"""The selected span is framed, and its flows are drawn however crowded the window is."""

from lab.inspect.canvas_picture import Shown, make_picture
from lab.inspect.inspection import Inspection
from lab.picture.palette import MARKED
from tests.lab.samples import profiler_trace, study
from traces import Trace


def drawn(trace: Trace, span: int, window: tuple[int, int]) -> dict:
    opened = Inspection(trace, "x", "k")
    return make_picture(opened, Shown([lane.key for lane in opened.lanes], window, span)).data


def flows(data: dict) -> list[list[float]]:
    return [end for arrows in data["arrows"] if arrows["kind"] == MARKED for end in arrows["ends"]]


def with_launch() -> tuple[Trace, int, int]:
    trace = profiler_trace(spans=2)
    kinds = trace.spans["kind"].tolist()
    launch, kernel = kinds.index("launch"), kinds.index("kernel")
    trace.flows.loc[0] = [launch, kernel, "launch"]
    return trace, launch, kernel


def test_a_frame_stands_around_the_span_and_an_arrow_comes_from_its_launch() -> None:
    trace, launch, kernel = with_launch()
    data = drawn(trace, kernel, (0, 300_000))
    start = trace.spans["ts_ns"][kernel]
    left, top, right, bottom = data["mark"]
    assert (left, right) == (start, start + 100_000) and top < bottom
    end = trace.spans["ts_ns"][launch] + trace.spans["dur_ns"][launch]
    ((x0, _, x1, _),) = flows(data)
    assert (x0, x1) == (end, start)


def test_a_span_outside_of_the_window_is_not_marked() -> None:
    trace, _, kernel = with_launch()
    assert drawn(trace, kernel, (200_000, 300_000))["mark"] is None


def test_of_an_engines_run_every_flow_of_the_span_is_drawn() -> None:
    trace = study("sync").trace
    copies = trace.spans.index[trace.spans["kind"] == "d2h"]
    span = int(copies[1])
    tied = trace.flows[(trace.flows["src"] == span) | (trace.flows["dst"] == span)]
    ends = flows(drawn(trace, span, (0, int(trace.spans["ts_ns"].max()))))
    assert len(tied) and 0 < len(ends) <= len(tied)
