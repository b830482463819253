"""What a timeline shows, as a sentence and as a table: the same spans and gaps."""

import re

import pandas as pd
import pytest

from lab.catalogue import t
from lab.picture.gantt import Panel
from lab.picture.hover import cause_text
from lab.picture.lanes import make_lanes
from lab.picture.shown import MOST_ROWS, shown_table, told
from lab.study import Study
from lab.units import percent, short_ms
from tests.lab.samples import profiler_trace, study
from traces import find_gaps, idle_stretches


def panel(of: Study, title: str = "run") -> Panel:
    return Panel(title, of.trace, of.gaps, of.lanes, hazards=of.run.hazards)


def whole(of: Study) -> tuple[int, int]:
    return 0, of.run.wall_ns


def gaps_of(table: pd.DataFrame) -> pd.DataFrame:
    return table[table[t("span.kind")] == t("shown.gap")]


def test_the_sentence_has_the_gaps_of_the_stretch_in_numbers() -> None:
    run = study("sync")
    said = told([panel(run)], whole(run))
    idle = sum(gap.ns for gap in run.gaps)
    longest = max(run.gaps, key=lambda gap: gap.ns)
    assert f"idle for {short_ms(idle)} ({percent(idle / run.run.wall_ns)} of" in said
    assert f"gaps: {len(run.gaps)}, the longest {short_ms(longest.ns)}: " in said
    assert cause_text(longest.cause) in said


def test_a_gap_at_the_edge_counts_as_far_as_it_is_in_the_window() -> None:
    run = study("sync")
    gap = max(run.gaps, key=lambda one: one.ns)
    middle = (gap.start_ns + gap.end_ns) // 2
    said = told([panel(run)], (middle, gap.end_ns))
    assert f"idle for {short_ms(gap.end_ns - middle)} ({percent(1)} of" in said
    assert "gaps: 1," in said


def test_hazards_and_every_panel_are_told() -> None:
    run = study("no-wait-compute")
    said = told([panel(run, "one"), panel(run, "two")], whole(run))
    assert f"hazards in the run: {len(run.run.hazards)}" in said and run.run.hazards
    assert "one: " in said and "two: " in said
    assert re.search(r"From 0\.000 to [\d.,]+ ms\.", said)


def test_the_table_has_every_span_and_gap_of_the_lanes_and_no_other() -> None:
    run = study()
    table = shown_table([panel(run)], whole(run))
    assert len(gaps_of(table)) == len(run.gaps)
    device = run.trace.spans[run.trace.spans["device"] >= 0]
    kinds = table[t("span.kind")].value_counts()
    for kind, count in device["kind"].value_counts().items():
        assert kinds[kind] == count
    assert table[t("span.start")].is_monotonic_increasing
    assert gaps_of(table)[t("span.dur")].sum() == pytest.approx(sum(g.ns for g in run.gaps) / 1e6)
    assert set(table[t("span.slot")].dropna()) == {"A", "B"}


def test_a_window_cuts_the_table_and_two_runs_are_named() -> None:
    run = study()
    start, end = 10_000_000, 30_000_000
    table = shown_table([panel(run, "=one"), panel(run, "two")], (start, end))
    assert table[t("span.start")].max() < end / 1e6
    assert (table[t("span.start")] + table[t("span.dur")]).min() > start / 1e6
    assert list(table[t("shown.run")].unique()) == ["=one", "two"]
    assert len(table) <= 2 * MOST_ROWS


def test_a_window_with_nothing_in_it_is_told_and_tabled() -> None:
    run = study()
    far = (run.run.wall_ns * 5, run.run.wall_ns * 6)
    assert t("shown.no_gaps", lane="compute") in told([panel(run)], far)
    assert shown_table([panel(run)], far).empty


def test_a_profilers_trace_is_told_and_tabled() -> None:
    trace = profiler_trace()
    shown = Panel("", trace, find_gaps(trace), make_lanes(trace, idle_stretches(trace)))
    start, end = int(trace.spans["ts_ns"].min()), int(trace.spans["ts_ns"].max()) + 10**9
    assert "GPU 0 · idle" in told([shown], (start, end))
    assert len(gaps_of(shown_table([shown], (start, end)))) == len(shown.gaps)
