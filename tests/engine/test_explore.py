"""Many timings of one run: shares within their documented ranges, and changes that show races."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings

from engine import configure, execute
from engine.config import RunConfig
from engine.durations import single_durations
from engine.explore import CHUNK, Exploration, explore, first_wrong_step, truth_of
from engine.modes import MODES
from engine.oplog import NONE
from engine.smallest import Change, Search, smallest_change

PAGE = Path(__file__).resolve().parents[2] / "docs/races.md"
ROW = re.compile(r"^\| `([\w-]+)` \| (\d+) to (\d+) % \|$", re.MULTILINE)
DOCUMENTED = {
    mode: (int(low), int(high)) for mode, low, high in ROW.findall(PAGE.read_text("utf-8"))
}
RACING = [mode.name for mode in MODES.values() if "H" in mode.expect]
CORRECT = [mode.name for mode in MODES.values() if mode.group == "correct"]
JITTER = 25.0
LONG = settings().max_examples > 100
RUNS = 30 if not LONG else 500
CORRECT_RUNS = 10 if not LONG else 1000


def explored(mode: str, runs: int, steps: int = 24) -> Exploration:
    *_, found = explore(configure(mode, steps=steps), JITTER, runs)
    return found


def last(search: object) -> Search:
    *_, found = search
    return found


def test_every_racing_mode_has_a_range_of_at_most_20_points() -> None:
    assert set(DOCUMENTED) == set(RACING)
    assert all(0 <= low <= high <= 100 and high - low <= 20 for low, high in DOCUMENTED.values())


@pytest.mark.parametrize("mode", RACING)
def test_the_share_of_wrong_runs_lies_in_its_range(mode: str) -> None:
    found = explored(mode, RUNS)
    low, high = DOCUMENTED[mode]
    assert low <= 100 * found.share <= high
    assert sum(found.histogram.values()) == sum(outcome.wrong for outcome in found.outcomes)


@pytest.mark.parametrize("mode", CORRECT)
def test_no_timing_makes_a_correct_mode_wrong(mode: str) -> None:
    found = explored(mode, CORRECT_RUNS)
    assert len(found.outcomes) == CORRECT_RUNS
    assert found.share == 0.0 and found.histogram == {}


@pytest.mark.parametrize("mode", ["no-reuse-device-output", "graph-output-inside"])
def test_a_run_given_up_early_goes_wrong_where_the_whole_run_does(mode: str) -> None:
    found = explored(mode, 5)
    for outcome in found.outcomes:
        whole = execute(found.config_of(outcome.timing))
        assert whole.token_diff.first_step == outcome.first_wrong


def test_each_timing_is_a_run_of_its_own_and_the_same_every_time() -> None:
    config = configure("async", steps=4, jitter=10, compute=False)
    ends = [execute(replace(config, timing=n)).wall_ns for n in (0, 1, 2, 1)]
    assert len(set(ends)) == 3 and ends[1] == ends[3]
    assert execute(config).wall_ns == ends[0]


def test_processes_find_what_one_finds_and_can_be_stopped() -> None:
    config = configure("no-reuse-device-output", steps=5)
    *_, alone = explore(config, JITTER, CHUNK)
    shared = explore(config, JITTER, 10_000, workers=2)
    assert next(shared).outcomes == alone.outcomes
    shared.close()


def test_an_exploration_can_be_stopped_behind_any_run() -> None:
    runs = explore(configure("no-wait-compute", steps=6), JITTER, 100)
    assert [len(next(runs).outcomes) for _ in range(3)] == [1, 2, 3]


def corrupts(config: RunConfig, change: Change) -> bool:
    return first_wrong_step(change.apply(config), truth_of(config)) != NONE


VISIBLE = [mode for mode in RACING if DOCUMENTED[mode][0] >= 80]


@pytest.mark.parametrize("mode", VISIBLE)
def test_a_race_that_shows_needs_no_change(mode: str) -> None:
    config = configure(mode, steps=24)
    change = last(smallest_change(config)).found
    assert change == Change("", 0)
    assert corrupts(config, change)
    assert execute(change.apply(config)).token_diff.count > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "toggles", "cost"),
    [("partial-fence", {}, None), ("async", {"record_point": "early"}, "small-gpu")],
)
def test_the_smallest_change_found_makes_a_hidden_race_visible(mode, toggles, cost) -> None:
    config = configure(mode, set=toggles, cost=cost, steps=24)
    assert execute(config).token_diff.count == 0
    change = last(smallest_change(config)).found
    assert change is not None and change.percent
    assert execute(change.apply(config)).token_diff.count > 0
    smaller = replace(change, percent=change.percent - (1 if change.percent > 0 else -1))
    assert not corrupts(config, smaller)


def test_a_change_makes_one_duration_longer_or_shorter() -> None:
    config = configure("async")
    cost = Change("compute.layer", 50).cost(config.cost)
    assert cost.kernel_ns["layer"] == config.cost.kernel_ns["layer"] * 3 // 2
    assert Change("h2d", -25).cost(config.cost).h2d_ns == config.cost.h2d_ns * 3 // 4
    assert replace(cost, kernel_ns=config.cost.kernel_ns) == config.cost
    for name in single_durations(config.cost):
        assert Change(name, 100).cost(config.cost) != config.cost


def test_a_correct_run_has_no_smallest_change() -> None:
    found = last(smallest_change(configure("async", steps=2)))
    assert found.found is None and found.tried > 100
