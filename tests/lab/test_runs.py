"""Finished runs are shared by all sessions, worked out once; what a session opened goes with it."""

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest
from streamlit.runtime.caching import clear_session_resource_cache

import lab.inspect.opened
import lab.runs
from engine import configure
from engine.process import no_garbage_collection
from lab.inspect.inspection import Inspection
from tests.lab.apps import upload
from tests.lab.samples import profiler_trace
from traces import trace_bytes

TEST_SESSION = "test session id"
"""What AppTest calls its session."""


def test_two_who_ask_for_a_run_at_the_same_time_have_it_worked_out_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = configure("async", steps=3, seed=987, compute=False)
    both_ask = threading.Barrier(2, timeout=30)
    runs: list[str] = []
    execute = lab.runs.execute

    def slow(wanted, **more):
        runs.append(wanted.key())
        threading.Event().wait(0.2)  # the other one asks meanwhile
        return execute(wanted, **more)

    def ask() -> object:
        both_ask.wait()
        return lab.runs.study_of(config)

    monkeypatch.setattr(lab.runs, "execute", slow)
    with ThreadPoolExecutor(2) as learners:
        first, second = learners.map(lambda _: ask(), range(2))
    assert first is second
    assert runs == [config.key()]


def test_no_more_runs_are_kept_than_the_bound() -> None:
    kept: list[weakref.ref[object]] = []
    for seed in range(lab.runs.KEPT_STUDIES + 3):
        config = configure("async", steps=2, seed=1000 + seed, compute=False)
        kept.append(weakref.ref(lab.runs.study_of(config)))
    gc.collect()
    assert sum(study() is not None for study in kept) == lab.runs.KEPT_STUDIES


def test_what_a_session_opened_is_freed_when_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[weakref.ref[object]] = []

    def noted(*arguments: object) -> Inspection:
        inspection = Inspection(*arguments)
        if "mine.json" in arguments:  # the page begins with a sample, which all share
            opened.extend([weakref.ref(inspection), weakref.ref(inspection.trace)])
        return inspection

    monkeypatch.setattr(lab.inspect.opened, "Inspection", noted)
    app = upload("mine.json", trace_bytes(profiler_trace(spans=3)))
    assert not app.exception and len(opened) == 2
    gc.collect()
    assert all(ref() is not None for ref in opened), "it is kept while the session lasts"
    del app
    clear_session_resource_cache(TEST_SESSION)  # as the server does when a tab closes
    gc.collect()
    assert [ref() for ref in opened] == [None, None]


def test_a_run_leaves_frozen_what_a_server_has_frozen() -> None:
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with no_garbage_collection():
            pass
        assert 0 < gc.get_freeze_count() <= frozen and gc.isenabled()
    finally:
        gc.unfreeze()
