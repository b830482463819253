"""Two traces side by side: step for step, idle time by cause, and what changed."""

import json

import pytest
from hypothesis import given, settings

from engine import run
from tests.traces.builders import Diagram, several, traces
from tests.traces.test_findings import PUBLIC
from traces import (
    Trace,
    compare,
    find_findings,
    find_gaps,
    list_samples,
    open_sample,
    open_trace,
    write_trace,
)
from traces.__main__ import main
from traces.comparison import as_json, as_text


def sample(name: str) -> Trace:
    (found,) = (s for s in list_samples() if s.file == f"engine-{name}.json.gz")
    return open_sample(found)


def test_asynchronous_batching_takes_the_hosts_work_out_of_each_step():
    result = compare(sample("sync"), sample("async"))
    assert result.per_step
    assert len(result.aligned) == 24
    assert all(after < before for before, after in result.aligned[1:-1])
    cause, before, after = result.idle[0]
    assert (cause, after < before) == ("update state", True)
    assert result.changes[0].startswith("CPU work between steps fell: 21.9 % to 0.0 % of the run")
    assert result.changes[0].endswith("mostly update state")


def test_the_other_way_round_the_same_rises():
    forth, back = (compare(*pair) for pair in sides())
    assert [(c, b, a) for c, a, b in forth.idle] == back.idle
    assert back.changes[0].startswith("CPU work between steps rose")


def sides():
    one, other = sample("sync"), sample("async")
    return (one, other), (other, one)


@pytest.mark.parametrize("name", ["sync", "item-sync", "pageable"])
def test_a_trace_differs_from_itself_in_nothing(name):
    result = compare(sample(name), sample(name))
    assert result.changes == []
    assert all(before == after for before, after in result.aligned)
    assert all(before == after for _, before, after in result.idle)


def test_the_missing_mechanism_is_what_changed():
    result = compare(sample("async"), sample("item-sync"))
    assert result.changes == ["scalar read rose: 0.0 % to 22.6 % of the run, mostly .item()"]


def test_without_steps_the_whole_run_is_compared():
    def one_gap(length):
        run = Diagram()
        run.gpu("compute", "kernel", 0, 10)
        run.gpu("compute", "kernel", 10 + length, 20 + length)
        trace = run.trace()
        trace.meta["format"] = "other"
        return trace

    result = compare(one_gap(100), one_gap(300))
    assert not result.per_step
    assert [(a, b) for _, a, b in result.idle] == [(100, 300)]
    assert as_json(result)["gaps_per"] == "run"
    assert as_json(result)["a"]["median_ms"] is None
    assert "idle ms of a run by cause" in as_text(as_json(result))


def test_workers_that_load_data_are_seen_in_a_public_pair():
    before, after = (sorted(PUBLIC.glob(f"kineto__resnet50_num_workers_{n}_*")) for n in (0, 4))
    if not before:
        pytest.skip(f"no public traces in {PUBLIC.name}")
    result = compare(open_trace(before[0]), open_trace(after[0]))
    assert result.changes[0].startswith("data loading fell")
    assert "DataLoader" in result.changes[0]
    assert result.b.active > result.a.active
    for side in (result.a, result.b):  # recorded in 2021: their marks are operators
        assert (side.steps.by, side.steps.count) == ("annotations that name steps", 6)


def test_a_finding_has_the_name_in_a_comparison_that_it_has_in_its_trace():
    before, after = (sorted(PUBLIC.glob(f"kineto__resnet50_num_workers_{n}_*")) for n in (0, 4))
    if not before:
        pytest.skip(f"no public traces in {PUBLIC.name}")
    pairs = [*sides(), (open_trace(before[0]), open_trace(after[0]))]
    for pair in pairs:
        a, b = ({f.rule: f.share for f in find_findings(trace)} for trace in pair)
        shifts = compare(*pair).shifts
        assert shifts and all(
            (shift.before, shift.after) == (a.get(shift.rule, 0), b.get(shift.rule, 0))
            for shift in shifts
        )


def test_the_blocks_of_one_forward_pass_of_a_public_pair_are_no_steps():
    pair = [PUBLIC / f"nsys-ai__mfu_2gpu_{name}.sqlite" for name in ("before", "after")]
    if not pair[0].is_file():
        pytest.skip(f"no public traces in {PUBLIC.name}")
    result = compare(*map(open_trace, pair))
    assert not result.per_step and result.a.steps.count == result.b.steps.count == 0
    assert result.changes[0].startswith("starved by launches rose")


def test_of_several_devices_the_mean_one_is_compared_and_each_is_named():
    two = several((("k", 0, 40), ("k", 60, 100)), (("k", 0, 90), ("k", 100, 200)))
    one = several((("k", 0, 40), ("k", 60, 100)))
    shown = as_json(compare(two, one))
    assert shown["a"]["active"] == pytest.approx(0.9)
    assert shown["a"]["devices"] == [{"id": 0, "active": 0.8}, {"id": 1, "active": 0.95}]
    assert sum(row["a_ms"] for row in shown["gaps"]) == pytest.approx(15e-6)
    text = as_text(shown)
    assert "active            90.0 %        80.0 %  of the time of all GPUs together\n" in text
    assert "  GPU 1           95.0 %             -\n" in text
    assert "in the mean of a trace's GPUs" in text
    assert all("of the GPUs' time" in change for change in shown["changes"])
    assert "GPUs" not in as_text(as_json(compare(one, one)))


@pytest.mark.parametrize("mode", ["sync", "async", "item-sync", "pageable"])
def test_idle_time_is_that_of_the_steps_that_both_have(mode):
    one = sample(mode)
    result = compare(one, run("async", steps=12, compute=False).trace)
    steps = [step for step, _ in result.aligned]
    assert len(steps) == 12 < result.a.steps.count
    begin, end = (result.a.steps.steps[number].start_ns for number in (0, len(steps)))
    gaps = [gap for gap in find_gaps(one) if begin < gap.end_ns <= end]
    idle = sum(ns for _, ns, _ in result.idle) * len(steps)
    assert idle == pytest.approx(sum(gap.ns for gap in gaps)) and idle < sum(steps)


@settings(max_examples=30)
@given(traces(), traces())
def test_any_two_traces_can_be_compared(a, b):
    a.meta["format"] = "other"
    result = compare(a, b)
    shown = as_json(result)
    assert json.loads(json.dumps(shown)) == shown
    assert as_text(shown)
    if not result.per_step:
        idle = sum(ns for _, ns, _ in result.idle) * max(1, len(a.devices))
        assert idle == pytest.approx(sum(gap.ns for gap in find_gaps(a)))


def test_idle_time_of_a_whole_recording_is_exact_to_the_ns_at_any_length():
    long_ns = (1 << 53) + 1  # a float has no such number
    run = Diagram()
    run.gpu("compute", "kernel", 0, 1)
    run.gpu("compute", "kernel", 1 + long_ns, 2 + long_ns)
    trace = run.trace()
    trace.meta["format"] = "other"
    assert sum(ns for _, ns, _ in compare(trace, Diagram().trace()).idle) == long_ns


def test_the_command_line_prints_a_table_or_json(tmp_path, capsys):
    paths = [str(tmp_path / f"{name}.json.gz") for name in ("sync", "async")]
    for path, name in zip(paths, ("sync", "async"), strict=True):
        write_trace(sample(name), path)
    assert main(["compare", *paths]) == 0
    table = capsys.readouterr().out
    assert "changed  CPU work between steps fell" in table
    assert "the 24 steps that both have take -8." in table
    assert main(["compare", *paths, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown == as_json(compare(sample("sync"), sample("async")))
