"""Pieces of work in this process, and what is said where there is no Dask or no scheduler."""

import sys

import pytest

from traces.cluster import done
from traces.schema import TraceError


def test_one_job_runs_in_this_process_and_needs_no_dask(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    squares = list(done(lambda number: number * number, [3, 5], jobs=1))
    assert [(one.number, one.result) for one in squares] == [(0, 9), (1, 25)]


def test_without_dask_several_jobs_are_refused_in_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(TraceError, match="pip install dask distributed"):
        list(done(abs, [1, 2], jobs=2))


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "tcp://", "ftp://x:y"])
def test_a_scheduler_that_does_not_answer_is_told_in_one_sentence(monkeypatch, address):
    monkeypatch.setattr("traces.cluster.CONNECT_S", 0.5)
    monkeypatch.setattr("distributed.Client", None)  # none is made, none is left half-made
    with pytest.raises(TraceError, match="No Dask scheduler answers at"):
        list(done(abs, [1, 2], scheduler=address))
