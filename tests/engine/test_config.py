"""A configuration is the whole of a run: same value, same key; another value, another key."""

from dataclasses import fields, replace

import pytest

from engine import configure
from engine.config import ConfigError, RunConfig, described
from engine.device.costs import COSTS
from engine.forks.fork import Fork
from engine.mechanisms.table import ASYNC, SYNC, Mechanisms
from engine.workloads.presets import WORKLOADS

OTHER = {
    "mode": "sync",
    "mechanisms": replace(ASYNC, wait_h2d=False),
    "cost": COSTS["cpu-bound"],
    "workload": WORKLOADS["churn"],
    "steps": 5,
    "requests": 5,
    "seed": 5,
    "jitter_percent": 5.0,
    "timing": 5,
    "compute": False,
    "device": "threads",
    "stop_at_ns": 5,
    "pace": True,
    "widen_ms": 5,
    "model": "tiny",
    "fork": Fork(5, {"wait_h2d": "off"}),
}
DEFAULT = RunConfig()


def test_equal_configurations_share_a_key_and_a_hash():
    again = RunConfig(mechanisms=Mechanisms(), cost=replace(COSTS["published-8b"]))
    assert again == DEFAULT
    assert (again.key(), hash(again)) == (DEFAULT.key(), hash(DEFAULT))


def test_this_module_changes_every_field():
    assert set(OTHER) == {item.name for item in fields(RunConfig)}


@pytest.mark.parametrize("name", OTHER)
def test_every_field_counts_in_the_key(name):
    changed = replace(DEFAULT, **{name: OTHER[name]})
    assert changed != DEFAULT
    assert changed.key() != DEFAULT.key()


def test_a_change_deep_inside_counts_too():
    slower = replace(DEFAULT.cost, kernel_ns={**DEFAULT.cost.kernel_ns, "head": 1})
    assert replace(DEFAULT, cost=slower).key() != DEFAULT.key()


@pytest.mark.parametrize(
    ("asynchronous", "mode", "correct"), [(False, "sync", SYNC), (True, "async", ASYNC)]
)
def test_a_baseline_is_the_correct_run_of_the_same_work(asynchronous, mode, correct):
    broken = configure("async", set={"wait_h2d": "off", "depth": "4"}, steps=9, seed=3, jitter=5)
    base = broken.baseline(asynchronous)
    assert (base.mode, base.mechanisms) == (mode, correct)
    assert replace(base, mode=broken.mode, mechanisms=broken.mechanisms) == broken


def test_a_baseline_draws_random_numbers_as_the_run_does():
    assert configure("async", set={"rng": "global"}).baseline(False).mechanisms.rng == "global"


def test_a_baseline_runs_to_the_end_and_is_no_fork():
    base = replace(DEFAULT, stop_at_ns=7, fork=OTHER["fork"]).baseline(False)
    assert base.stop_at_ns is None and base.fork is None


def test_a_description_names_what_differs():
    config = configure("async", set={"carry": "none"}, cost="cpu-bound", workload="churn", seed=2)
    assert config.describe() == {
        "mode": "async", "toggles": {"carry": "none"}, "cost": "cpu-bound", "workload": "churn",
        "steps": None, "requests": None, "seed": 2, "jitter_percent": 0.0, "device": "virtual",
    }  # fmt: skip
    assert replace(config, timing=3).describe() == {**config.describe(), "timing": 3}


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (["sync"], "no description of a run"),
        ({"workload": ["chat"]}, "'workload' that is not a word"),
        ({"mode": {}}, "'mode' that is not a word"),
        ({"toggles": "off"}, "'toggles' that is not a list of toggles"),
    ],
)
def test_what_an_edited_file_says_of_its_run_is_refused_in_one_sentence(run, message):
    with pytest.raises(ConfigError, match=message):
        described({"run": run})


def test_what_a_run_says_of_itself_is_read_back():
    assert described({"run": DEFAULT.describe()}) == DEFAULT.describe()
    assert described({}) == {}
