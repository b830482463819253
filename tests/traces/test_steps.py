"""Steps are found by whatever the trace says about them; none is no error."""

from itertools import pairwise

import pytest
from hypothesis import given

from tests.traces.builders import Diagram, traces
from traces import (
    Trace,
    compare,
    comparison,
    find_steps,
    list_samples,
    open_sample,
    summarize,
)
from traces.summary import as_text
from traces.whatif import A_GUESS


def foreign(run: Diagram) -> Trace:
    """The run as another profiler's trace."""
    trace = run.trace()
    trace.meta["format"] = "kineto"
    return trace


def note(run: Diagram, name: str, start: int, end: int, kind: str = "annotation") -> None:
    run.host(name, start, end, kind)


def spans_of(steps):
    return [(step.start_ns, step.end_ns) for step in steps.steps]


def with_work(end: int = 400) -> Diagram:
    run = Diagram()
    run.gpu("compute", "kernel", 0, end)
    return run


@pytest.mark.parametrize("sample", [s for s in list_samples() if s.file.startswith("engine")])
def test_the_steps_of_an_engine_dump_are_counted_and_have_no_hole(sample):
    trace = open_sample(sample)
    steps = find_steps(trace)
    assert steps.by == "engine steps"
    assert steps.count == trace.spans["step"].max() + 1 == 24
    assert all(a.end_ns == b.start_ns for a, b in pairwise(steps.steps))


def test_the_profilers_own_steps_go_before_all_others():
    run = with_work()
    for n in range(3):
        note(run, f"ProfilerStep#{n}", 100 * n, 100 * n + 100)
        note(run, "decode", 100 * n + 10, 100 * n + 20)
        note(run, "decode", 100 * n + 30, 100 * n + 40)
    steps = find_steps(foreign(run))
    assert steps.by == "annotations that name steps"
    assert [step.name for step in steps.steps] == [f"ProfilerStep#{n}" for n in range(3)]
    assert spans_of(steps) == [(0, 100), (100, 200), (200, 300)]


@pytest.mark.parametrize("kind", ["op", "host", "python", "annotation"])
def test_the_profilers_own_steps_are_steps_whatever_it_filed_them_under(kind):
    run = with_work()
    for n in range(3):
        note(run, f"ProfilerStep#{n}", 100 * n, 100 * n + 99, kind)
    steps = find_steps(foreign(run))
    assert steps.by == "annotations that name steps"
    assert spans_of(steps) == [(0, 100), (100, 200), (200, 299)]


@pytest.mark.parametrize(
    ("last", "more", "count"), [(340, 0, 3), (399, 0, 4), (340, 60, 4), (301, 0, 3)]
)
def test_a_last_mark_that_the_end_of_the_recording_cut_short_is_no_step(last, more, count):
    """It is one where it is as long as others, or where the host launches on behind it. A wait
    there is the profiler's own."""
    run = with_work()
    for n in range(3):
        note(run, f"ProfilerStep#{n}", 100 * n, 100 * n + 99, "op")
    note(run, "ProfilerStep#3", 300, last, "op")
    run.host("cudaDeviceSynchronize", 400, 420, "sync")
    if more:
        run.host("cudaLaunchKernel", last, last + more, "launch")
    steps = find_steps(foreign(run))
    assert steps.count == count
    assert steps.steps[2].end_ns == (300 if count == 4 else 299)


@pytest.mark.parametrize(
    "name", ["step {}", "execute_model", "execute_context_0(0)_generation_{}(4)", "Decode #{}"]
)
def test_annotations_that_are_called_like_steps_are_steps_even_alone(name):
    run = with_work()
    note(run, name.format(1), 50, 350)
    assert spans_of(find_steps(foreign(run))) == [(50, 350)]


@pytest.mark.parametrize("name", ["stepping stone", "Optimizer.step#SGD.step", "nccl:batch"])
def test_names_that_only_sound_like_steps_are_none(name):
    run = with_work()
    note(run, name, 50, 350)
    assert find_steps(foreign(run)).by == "none"


def test_a_short_mark_makes_the_last_step_end_with_the_run():
    run = with_work()
    for n in range(3):
        note(run, f"step {n}", 100 * n, 100 * n + 5)
    assert spans_of(find_steps(foreign(run))) == [(0, 100), (100, 200), (200, 400)]


def test_other_annotations_count_where_they_come_back_over_most_of_the_run():
    run = with_work()
    for n in range(4):
        note(run, "my model", 100 * n, 100 * n + 90)
        note(run, "my layer", 100 * n + 10, 100 * n + 20)
    note(run, "once", 0, 400)
    steps = find_steps(foreign(run))
    assert (steps.by, steps.count) == ("repeated annotations", 4)
    assert {step.name for step in steps.steps} == {"my model"}


def test_an_annotation_inside_one_of_its_kind_begins_no_step():
    run = with_work()
    for n in range(3):
        note(run, "decode", 100 * n, 100 * n + 90)
        note(run, "decode", 100 * n + 10, 100 * n + 20)
    assert find_steps(foreign(run)).count == 3


def graph(run: Diagram, start: int, kernels: int) -> None:
    launch = run.host("cudaGraphLaunch", start, start + 1, "launch")
    for n in range(kernels):
        run.gpu("compute", "kernel", start + 2 + n, start + 3 + n, launch)


def test_each_launch_of_a_graph_of_one_size_is_a_step():
    run = Diagram()
    for n in range(2):
        graph(run, 100 * n, 5)
    steps = find_steps(foreign(run))
    assert (steps.by, spans_of(steps)) == ("graph launches", [(2, 102), (102, 107)])


def test_a_step_of_several_graphs_begins_with_the_one_that_comes_but_once():
    run = Diagram()
    for n in range(4):
        for at, kernels in enumerate([3, 9, 9, 9, 4]):
            graph(run, 100 * n + 20 * at, kernels)
    steps = find_steps(foreign(run))
    assert [start for start, _ in spans_of(steps)] == [2, 102, 202, 302]


def test_kernels_that_come_back_in_the_same_order_are_steps():
    run = Diagram()
    for at, name in enumerate(["embed", "layer", "layer", "layer", "head"] * 4):
        run.gpu("compute", "kernel", 10 * at, 10 * at + 8, name=name)
    steps = find_steps(foreign(run))
    assert steps.by == "repeated launches"
    assert spans_of(steps) == [(0, 50), (50, 100), (100, 150), (150, 198)]
    assert (steps.median_ns, steps.p99_ns) == (50, 50)


def layered(steps: int, layers: int, name: str, kind: str = "op") -> Trace:
    """Each layer a range of the host and the same kernels; a step has an embedding before them
    where there are several."""
    run, now = Diagram(), 0
    for _ in range(steps):
        for at in range(layers):
            run.host(name.format(at), now, now + 9, kind)
            first = "embed" if at == 0 and steps > 1 else "norm"
            for number, kernel in enumerate((first, "attention", "attention", "mlp")):
                run.gpu("compute", "kernel", now + 2 * number, now + 2 * number + 1, name=kernel)
            now += 10
    return foreign(run)


LAYERS = [
    "FSDP::pre_forward (blocks.{}._wrapped)",
    "model.layers.{}",
    "Layer {}",
    "layer{}",
    "h.{}",
]


@pytest.mark.parametrize("kind", ["op", "annotation", "python"])
@pytest.mark.parametrize("name", LAYERS)
def test_the_layers_of_one_step_are_no_steps(name, kind):
    assert find_steps(layered(1, 15, name, kind)).by == "none"


@pytest.mark.parametrize("kind", ["op", "annotation"])
@pytest.mark.parametrize("name", LAYERS)
def test_steps_of_layers_are_found_by_their_launches(name, kind):
    steps = find_steps(layered(6, 4, name, kind))
    assert (steps.by, steps.count, steps.is_guess) == ("repeated launches", 6, True)
    assert steps.steps[1].start_ns == 40


@pytest.mark.parametrize("name", ["aten::conv{}d", "part {}", "layer", "block.0 of {}"])
def test_other_numbers_make_no_layers(name):
    assert find_steps(layered(1, 15, name)).count == 15


def test_of_steps_found_by_repetition_alone_it_is_said_that_they_are_a_guess():
    summary = summarize(layered(6, 4, "layer {}"))
    assert A_GUESS in as_text(summary)
    compared = comparison.as_json(compare(layered(6, 4, "x"), open_sample(list_samples()[0])))
    assert f"In A: {A_GUESS}" in comparison.as_text(compared)
    marked = summarize(open_sample(list_samples()[0]))
    assert A_GUESS not in as_text(marked)


def test_a_run_without_a_sign_of_steps_has_none():
    summary = summarize(foreign(with_work()))
    assert summary["steps"] == {"count": 0, "median_ms": None, "p99_ms": None, "by": "none"}


@given(traces())
def test_any_trace_gives_steps_in_order_or_none(trace):
    for meta in ("overlap-lab", "other"):
        trace.meta["format"] = meta
        steps = find_steps(trace)
        assert (steps.by == "none") == (steps.count == 0)
        assert all(a.start_ns <= b.start_ns for a, b in pairwise(steps.steps))
        assert min((step.ns for step in steps.steps), default=0) >= 0
        assert 0 <= steps.median_ns <= max([steps.p99_ns, *(step.ns for step in steps.steps)])
