"""The tables of service figures: every figure once, a unit in every head, the run's values."""

from dataclasses import fields

from engine.results.service import Service
from lab.timeline.service import CAPACITY, WAITING, capacity_table, service_formats, waiting_table
from tests.lab.samples import study

SERVICES = {"this run": study().run.service, "sync": study("sync").run.service}


def test_every_figure_stands_in_one_of_the_tables() -> None:
    told = {field.name for field in fields(Service)} - {"requests_done"}
    assert sorted((*WAITING, *CAPACITY)) == sorted(told)


def test_every_head_has_its_unit() -> None:
    for table in (waiting_table(SERVICES), capacity_table(SERVICES)):
        heads = list(table.columns)[1:]
        assert all(head.endswith(")") and "(" in head for head in heads)
        assert set(service_formats(table)) == set(heads)


def test_a_row_has_the_figures_of_its_run() -> None:
    waiting, capacity = waiting_table(SERVICES), capacity_table(SERVICES)
    assert waiting["Run"].tolist() == capacity["Run"].tolist() == ["this run", "sync"]
    sync = SERVICES["sync"]
    assert waiting["TTFT median (ms)"][1] == sync.ttft_median_ms
    assert waiting["Throughput (tokens/s)"][1] == sync.throughput_tokens_per_s
    assert capacity["To the GPU (bytes)"][1] == sync.h2d_bytes > 0
