"""What async would give: from the trace alone, held against what the engine then measures."""

import json

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import run
from engine.device.costs import COSTS
from tests.traces.builders import Diagram, traces
from traces import Trace, list_samples, open_sample, what_if, write_trace
from traces.__main__ import main
from traces.step_parts import StepParts
from traces.whatif import (
    A_GUESS,
    ASSUMPTIONS,
    FOREIGN_ASSUMPTIONS,
    SEVERAL_GPUS,
    WhatIf,
    as_json,
    as_text,
    pipelined_ns,
)

OWN_ENGINES = [name for name, cost in COSTS.items() if cost.copy_engines == 2]

FROM_A_DUMP = 0.001
"""A dump says of everything which step it belongs to."""

FROM_OTHERS = 0.05
"""Another trace does not: a step's preparation before its first launch counts for the step
before, so that of the first step is missing."""

STEPS = 24


def timed(mode: str, name: str):
    cost = COSTS[name]
    return run(mode, cost=cost, workload=cost.workload, steps=STEPS, compute=False)


def stripped(trace: Trace) -> Trace:
    """What another profiler would have written: no step numbers, no flows but launches."""
    spans = trace.spans.assign(step=-1, slot=-1, args=None)
    flows = trace.flows[trace.flows["kind"] == "launch"]
    return Trace(spans, flows, trace.counters.iloc[:0], {"format": "other"})


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("name", OWN_ENGINES)
def test_either_run_predicts_both_to_the_engines_measured_time(name, mode):
    prediction = what_if(timed(mode, name).trace)
    assert prediction.sync_ns == pytest.approx(timed("sync", name).wall_ns, rel=FROM_A_DUMP)
    assert prediction.async_ns == pytest.approx(timed("async", name).wall_ns, rel=FROM_A_DUMP)


@pytest.mark.parametrize("name", OWN_ENGINES)
def test_a_trace_without_step_numbers_predicts_nearly_as_well(name):
    prediction = what_if(stripped(timed("sync", name).trace))
    assert prediction.found_by == "repeated launches"
    assert prediction.sync_ns == pytest.approx(timed("sync", name).wall_ns, rel=FROM_OTHERS)
    assert prediction.async_ns == pytest.approx(timed("async", name).wall_ns, rel=FROM_OTHERS)


def test_copies_that_share_one_engine_are_slower_than_predicted_as_the_assumption_says():
    prediction = what_if(timed("sync", "one-copy-engine").trace)
    measured = timed("async", "one-copy-engine").wall_ns
    assert prediction.async_ns < measured
    assert any("share one engine" in line for line in prediction.assumptions)


@pytest.mark.parametrize("mode", ["item-sync", "pageable", "one-stream", "device-sync-for-results"])
def test_the_async_time_is_found_from_a_run_that_spoils_it(mode):
    """The pageable run's copies take three times as long; all else is as in the async run."""
    spoilt = run(mode, steps=STEPS, compute=False)
    sound = run("async", steps=STEPS, compute=False)
    prediction = what_if(spoilt.trace)
    assert prediction.async_ns == pytest.approx(sound.wall_ns, rel=0.01)
    assert prediction.async_ns <= spoilt.wall_ns


durations = st.integers(0, 1000)
steps = st.builds(StepParts, durations, durations, durations, durations, durations, st.just(0))


@given(st.lists(steps, max_size=8))
def test_async_lies_between_the_bound_and_sync(parts):
    result = WhatIf(tuple(parts))
    busiest = max((sum(step.compute_ns for step in parts), sum(step.host_ns for step in parts)))
    assert busiest <= result.async_ns <= result.sync_ns
    assert busiest <= result.bound_ns <= result.sync_ns
    assert 0 <= result.not_hidden <= 1


@given(steps, st.integers(2, 40))
def test_a_steady_run_takes_its_slowest_part_each_step_and_the_rest_once(step, count):
    device = step.copy_in_ns + step.compute_ns + step.copy_out_ns
    slowest = max(
        step.host_ns,
        step.compute_ns,
        step.copy_in_ns,
        step.copy_out_ns,
        -(-(step.host_ns + device) // 2),  # two in flight: a step's whole way counts half
    )
    taken = pipelined_ns([step] * count)
    assert slowest * (count - 2) <= taken <= slowest * count + step.alone_ns


def test_the_textbook_pipelines_come_out():
    """P ms of host work, G ms of device work, three batches: 24 becomes 20, and 42 becomes 30."""
    for prepare, compute, sync, overlapped in ((2, 6, 24, 20), (8, 6, 42, 30)):
        result = WhatIf((StepParts(prepare, 0, compute, 0, 0, 0),) * 3)
        assert (result.sync_ns, result.async_ns) == (sync, overlapped)


def test_host_work_that_ran_under_the_devices_is_hidden_already():
    launching = WhatIf((StepParts(90, 0, 10, 0, 0, 10),) * 5, recorded_ns=450)
    assert launching.sync_ns == launching.async_ns == launching.bound_ns == 450
    assert launching.saving == 0


@pytest.mark.parametrize(
    ("recorded", "saving"), [(42, 12 / 42), (40, 10 / 40), (30, 0), (20, 0), (0, 0)]
)
def test_what_async_saves_is_a_share_of_the_recorded_time_and_never_negative(recorded, saving):
    result = WhatIf((StepParts(8, 0, 6, 0, 0, 0),) * 3, recorded)
    assert (result.sync_ns, result.async_ns) == (42, 30)
    assert result.saving == pytest.approx(saving)


def test_a_run_that_overlaps_already_has_next_to_nothing_to_gain():
    """Without overlap it would take far longer, and that is not what was recorded."""
    for trace in (
        timed("async", "published-8b").trace,
        stripped(timed("async", "published-8b").trace),
    ):
        result = what_if(trace)
        assert result.sync_ns > 1.2 * result.recorded_ns
        assert result.saving < 0.01
        assert f"{100 * result.saving:.1f} % of recorded saved" in as_text(as_json(result))


def foreign(spans=(), **meta) -> Trace:
    run = Diagram()
    for add in spans:
        add(run)
    trace = run.trace()
    trace.meta |= {"format": "other", **meta}
    return trace


def kernel(start, end):
    return lambda run: run.gpu("compute", "kernel", start, end)


def launched(start, ts, end):
    def add(run):
        call = run.host("cudaLaunchKernel", start, start + 1, "launch", correlation=start)
        run.gpu("compute", "kernel", ts, end, call)

    return add


def stepped(step):
    def add(run):
        call = run.host("launch", 10 * step, 10 * step + 1, "launch")
        run.gpu("compute", "kernel", 10 * step + 2, 10 * step + 9, call, step=step)

    return add


def lost(start):
    return lambda run: run.host("cudaLaunchKernel", start, start + 1, "launch", correlation=start)


@pytest.mark.parametrize(
    ("trace", "says"),
    [
        (foreign(), "no GPU work"),
        (foreign([kernel(0, 5)]), "no host work"),
        (foreign([kernel(0, 5), lambda run: run.host("work", 0, 5)]), "traced back to its launch"),
        (foreign([launched(0, 2, 5)], cut_off=True), "cut off"),
        (foreign([launched(0, 2, 5), lost(6)]), "GPU events are missing"),
        (foreign([launched(0, 2, 5), launched(9, 5_000_000, 5_000_009)]), "does not show"),
        (foreign([launched(0, 2, 5), launched(1, 6, 9)]), "no steps found"),
        (foreign([stepped(0), stepped(1)], format="overlap-lab"), "which step it belongs to"),
    ],
)
def test_an_incomplete_trace_says_what_is_missing(trace, says):
    result = what_if(trace)
    assert says in result.cannot_tell
    assert as_json(result)["async_ms"] is None
    assert as_text(as_json(result)).startswith("cannot tell: ")


@given(traces())
def test_any_trace_gives_a_prediction_or_a_reason(trace):
    for meta in ("overlap-lab", "other"):
        trace.meta["format"] = meta
        answer = as_json(what_if(trace))
        assert json.loads(json.dumps(answer)) == answer
        assert bool(answer["cannot_tell"]) == (answer["sync_ms"] is None)
        assert as_text(answer)


def test_with_several_gpus_it_says_which_one_is_looked_at():
    alone = stripped(timed("sync", OWN_ENGINES[0]).trace)
    spans, flows = alone.spans, alone.flows
    kernels = spans[spans["kind"] == "kernel"]
    other = kernels.assign(device=1, track="GPU 1")
    other.index = range(len(spans), len(spans) + len(other))
    both = pd.concat([spans, other])
    together = Trace(both, flows, alone.counters, alone.meta)
    assert what_if(alone).assumptions == (*ASSUMPTIONS, *FOREIGN_ASSUMPTIONS, A_GUESS)
    assert set(what_if(together).assumptions) == {*what_if(alone).assumptions, SEVERAL_GPUS}


def test_the_command_line_prints_a_table_or_json(tmp_path, capsys):
    (sample,) = (s for s in list_samples() if s.file == "engine-sync.json.gz")
    path = tmp_path / "run.json.gz"
    write_trace(open_sample(sample), path)
    assert main(["whatif", str(path)]) == 0
    table = capsys.readouterr().out
    assert "two batches in flight: 23.0 % of recorded saved" in table
    assert "assumed  Two batches are in flight" in table
    assert main(["whatif", str(path), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)["what_if"]
    assert answer == as_json(what_if(open_sample(sample)))
    assert answer["bound_ms"] < answer["async_ms"] < answer["sync_ms"]
    assert answer["saving"] == pytest.approx(1 - answer["async_ms"] / answer["recorded_ms"])
