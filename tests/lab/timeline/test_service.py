"""The tables of service figures: every figure once, a unit in every head, the run's values."""

from dataclasses import fields, replace

from engine.results.service import Service
from lab.timeline.service import CAPACITY, WAITING, by_figure, capacity_table, waiting_table
from tests.lab.samples import study

SERVICES = {"this run": study().run.service, "sync": study("sync").run.service}


def test_every_figure_stands_in_one_of_the_tables() -> None:
    told = {field.name for field in fields(Service)} - {"requests_done"}
    assert sorted((*WAITING, *CAPACITY)) == sorted(told)


def test_every_head_has_its_unit() -> None:
    for table in (waiting_table(SERVICES), capacity_table(SERVICES)):
        heads = list(table.columns)[1:]
        assert all(head.endswith(")") and "(" in head for head in heads)
        assert by_figure(table)["Figure"].tolist() == heads


def test_on_the_page_each_run_is_a_column_and_what_was_not_measured_a_dash() -> None:
    waiting = waiting_table(SERVICES | {"none": replace(SERVICES["sync"], ttft_p99_ms=None)})
    shown = by_figure(waiting)
    assert list(shown.columns) == ["Figure", "this run", "sync", "none"]
    assert shown["sync"][0] == f"{SERVICES['sync'].ttft_median_ms:,.2f}"
    assert shown["none"].tolist() == [shown["sync"][0], "–", *shown["sync"][2:]]
    assert by_figure(capacity_table(SERVICES))["sync"][3] == f"{SERVICES['sync'].h2d_bytes:,}"


def test_a_row_has_the_figures_of_its_run() -> None:
    waiting, capacity = waiting_table(SERVICES), capacity_table(SERVICES)
    assert waiting["Run"].tolist() == capacity["Run"].tolist() == ["this run", "sync"]
    sync = SERVICES["sync"]
    assert waiting["TTFT median (ms)"][1] == sync.ttft_median_ms
    assert waiting["Throughput (tokens/s)"][1] == sync.throughput_tokens_per_s
    assert capacity["To the GPU (bytes)"][1] == sync.h2d_bytes > 0
