"""An opened trace: what is said of it, and that a saved run looks as it did."""

import json

import numpy as np
import pytest

from engine import configure, execute
from lab.catalogue import LANGUAGES, texts
from lab.glossary import cure, key_of
from lab.inspect.inspection import Inspection, around
from lab.inspect.verdict import causes_told, verdict
from lab.runs import studies
from lab.tables import device_table, gap_table, span_table, stream_table
from lab.timeline.scene import Scene
from tests.lab.samples import profiler_trace, study
from tests.traces.builders import several
from traces import Trace, open_trace
from traces.finding_rules import OVERLAP, RULES
from traces.units import percent


@pytest.mark.parametrize("mode", ["sync", "async", "no-wait-h2d"])
def test_a_saved_run_has_the_same_lanes_and_gaps(mode: str) -> None:
    run = study(mode)
    opened = Inspection(open_trace(run.file), "run.json.gz", "key")
    assert opened.gaps == run.gaps
    assert [lane.label for lane in opened.lanes] == [lane.label for lane in run.lanes]
    for mine, theirs in zip(opened.lanes, run.lanes, strict=True):
        for strip, other in zip(mine.strips, theirs.strips, strict=True):
            for column in ("start", "dur", "style", "span"):
                ours, saved = getattr(strip.layer, column), getattr(other.layer, column)
                np.testing.assert_array_equal(ours, saved)


def test_the_verdict_of_a_saved_run_is_the_runs_own() -> None:
    run = study("sync")
    opened = Inspection(run.trace, "run", "key")
    sentence = verdict(opened)
    assert f"idle {100 * (1 - run.numbers.gpu_active):.1f} %" in sentence
    assert "waits for the host between steps; async would save about 2" in sentence
    assert "update state" in causes_told(opened)


def test_the_verdict_of_an_overlapped_run_names_its_start_and_no_gap_between_steps() -> None:
    opened = Inspection(study("async").trace, "run", "key")
    assert not any(gap.where == "middle" for gap in opened.gaps)
    assert "between" not in verdict(opened)
    assert "is the end, after the last step's kernels; the steps overlap already" in verdict(opened)
    assert "async" not in verdict(opened)


@pytest.mark.parametrize(
    ("mode", "told"),
    [
        ("item-sync", "waits for a scalar that the host reads; reading no scalar in the loop"),
        ("pageable", "waits for copies of pageable memory; pinning the host memory would save"),
        ("device-sync-for-results", "device-wide synchronise; waiting for an event in place"),
    ],
)
def test_where_something_else_is_missing_the_verdict_promises_nothing_of_async(
    mode: str, told: str
) -> None:
    """What its cure would save is what the finding of the same name costs."""
    opened = Inspection(study(mode).trace, "run", "key")
    sentence = verdict(opened)
    assert told in sentence and "async" not in sentence
    (finding,) = (one for one in opened.findings if one.rule == opened.main_rule[0])
    assert f"would save up to {percent(finding.share)} of that time" in sentence


def test_what_would_save_next_to_nothing_is_told_as_such() -> None:
    rows = (("k", 0, 100_000), ("k", 100_500, 200_000))
    assert verdict(Inspection(several(rows), "x", "k")).endswith(
        "is lost between launches; launching from a CUDA graph would save next to nothing."
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_finding_has_a_cure_in_words_unless_it_is_overlap(language: str) -> None:
    for rule in RULES:
        has_cure = f"rule.{key_of(rule.name)}.cure" in texts(language)
        assert has_cure == bool(cure(rule.name))
        if rule.mechanism:
            assert has_cure == (rule.mechanism != OVERLAP)


def test_a_busy_device_and_a_missing_one_are_told() -> None:
    assert "never idle" in verdict(Inspection(profiler_trace(spans=1), "x", "k"))
    host = {"track": "t", "kind": "launch", "name": "cudaLaunchKernel", "dur_ns": 5}
    lost = Inspection(Trace.from_rows([host], meta={"format": "x"}), "x", "k")
    assert verdict(lost) == ""
    assert "1 operations but no GPU work" in lost.warnings[0]
    empty = Inspection(Trace.from_rows([], meta={"skipped": 3, "format": "x"}), "x", "k")
    assert empty.extent == (0, 1)
    assert [warning[:9] for warning in empty.warnings] == ["3 damaged", "No GPU wo"]


@pytest.mark.parametrize("mode", ["sync", "async", "ready-queue", "one-stream"])
def test_a_run_opens_on_the_stretch_that_the_timeline_page_opens_on(mode: str) -> None:
    scene = Scene(*studies(configure(mode, steps=24, compute=False)))
    run = Inspection(scene.run.trace, "run", "key")
    assert run.first_window == pytest.approx(scene.opening.window, rel=1e-3)
    assert 0 == run.first_window[0] < run.first_window[1] < run.extent[1]


def test_a_short_run_and_another_trace_open_whole() -> None:
    short = Inspection(execute(configure("async", steps=4, compute=False)).trace, "run", "key")
    assert short.first_window == short.extent
    other = Inspection(profiler_trace(spans=3), "x", "key")
    assert other.first_window == other.extent


def test_lanes_to_open_with_are_few() -> None:
    rows = [
        {"ts_ns": 0, "dur_ns": 5, "kind": "kernel", "name": "k", "device": 0, "stream": number,
         "track": f"s{number}"}
        for number in range(40)
    ]  # fmt: skip
    crowded = Inspection(Trace.from_rows(rows, meta={"format": "x"}), "x", "k")
    assert len(crowded.lanes) == 41
    assert len(crowded.panel(crowded.first_lanes).lanes) == 10


def test_the_longest_gap_is_first_and_can_be_jumped_to() -> None:
    sync = Inspection(study("sync").trace, "run", "key")
    first, second = sync.longest_gaps(2)
    assert first.ns >= second.ns == max(gap.ns for gap in sync.gaps if gap is not first)
    start, end = around(first, sync.extent)
    assert start < first.start_ns and (end > first.end_ns or end == sync.extent[1])


def test_tables_have_the_figures() -> None:
    sync = Inspection(study("sync").trace, "run", "key")
    table = gap_table(sync.longest_gaps(5))
    assert table["Length (ms)"].is_monotonic_decreasing
    idle = device_table(sync.devices, sync.idles)["Idle (%)"]
    assert idle.tolist() == pytest.approx([100 * (1 - study("sync").numbers.gpu_active)])
    streams = stream_table(sync.trace, sync.idles)
    assert streams["Kernels"].sum() == (sync.trace.spans["kind"] == "kernel").sum()
    spans = span_table(sync.trace, (0, 1_000_000))
    assert spans["Name"].tolist() == ["schedule"]


def test_a_file_cut_off_before_its_gpu_work_does_not_claim_there_was_none() -> None:
    host = {"ph": "X", "pid": 1, "tid": 1, "name": "step", "ts": 0, "dur": 9}
    text = json.dumps({"traceEvents": [host] * 20})
    cut = Inspection(open_trace(text[:-60].encode(), "cut.json"), "cut.json", "k")
    assert not cut.devices
    assert cut.warnings[-1].startswith("No GPU work is recorded before the cut")
    assert sum("cut off" in warning for warning in cut.warnings[:-1]) == 1
