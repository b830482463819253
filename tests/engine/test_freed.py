"""A run is freed with the last reference to it: nobody has to search for it."""

import gc
import weakref
from contextlib import contextmanager
from dataclasses import replace

import pytest

from engine import configure, execute
from engine.forks.fork import Fork
from engine.modes.table import MODES
from engine.recording.recording import record
from lab.study import Study


@contextmanager
def no_collector():
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def freed(run):
    """Whether a run and its device are gone once `run`, its only holder, is called and let go."""
    with no_collector():
        held = run()
        found = [weakref.ref(held), weakref.ref(held.device)]
        del held
        return all(reference() is None for reference in found)


def looked_at(config):
    """A run of which everything was asked that pages show."""
    study = Study(execute(config))
    for what in ("kernels", "gaps", "numbers", "lanes", "diff", "switched"):
        getattr(study, what)
    return study.run


@pytest.mark.parametrize("mode", MODES)
def test_a_run_of_any_mode(mode):
    config = configure(mode, steps=6)
    assert freed(lambda: execute(config))


RACING = [mode.name for mode in MODES.values() if "H" in mode.expect]


@pytest.mark.parametrize("mode", ["async", *RACING])
def test_a_run_of_the_race_explorer_whose_answers_are_known(mode):
    config, recall = replace(configure(mode, steps=6), jitter_percent=25.0), {}
    for timing in (1, 1, 2):
        tried = replace(config, timing=timing)
        assert freed(lambda tried=tried: execute(tried, recall=recall))


@pytest.mark.parametrize("mode", ["async", "no-wait-h2d", "freed-on-scheduled"])
def test_a_run_that_everything_was_asked_of(mode):
    config = configure(mode, steps=12)
    looked_at(config)  # what is kept between runs is there already
    assert freed(lambda: looked_at(config))


@pytest.mark.parametrize("device", ["virtual", "threads"])
def test_a_run_that_is_called_off(device):
    config = configure("async", steps=6, device=device)
    assert freed(lambda: execute(config, stop=lambda: True))


@pytest.mark.parametrize("share", [0.3, 0.7, 2])
def test_a_recorded_run_and_its_fork(share):
    config = configure("async", steps=6)
    at_ns = int(share * execute(config).wall_ns)
    assert freed(lambda: record(config).run)
    fork = replace(config, fork=Fork(at_ns, {"wait_h2d": "off"}))
    assert freed(lambda: execute(fork))
    assert freed(lambda: execute(replace(config, jitter_percent=25.0, timing=3), recall={}))


def test_a_run_that_is_frozen():
    config = configure("async", steps=6)
    half_ns = execute(config).wall_ns // 2
    assert freed(lambda: execute(replace(config, stop_at_ns=half_ns)))
