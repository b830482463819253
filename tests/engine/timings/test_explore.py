"""Many timings of one run: shares within their documented ranges, and changes that show races."""

import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import settings

from engine import configure, execute
from engine.config import RunConfig
from engine.device.durations import single_durations
from engine.forks.fork import make_fork
from engine.modes.table import MODES
from engine.oplog import NONE
from engine.timings.explore import (
    CHUNK,
    STEPS,
    Exploration,
    ExploreError,
    cut_where_it_races,
    explore,
    first_wrong_step,
    truth_of,
)
from engine.timings.processes import process_pool
from engine.timings.smallest import Change, Search, smallest_change
from tests.sparing import every

PAGE = Path(__file__).resolve().parents[3] / "docs/races.md"
ROW = re.compile(
    r"^\| `([\w-]+)` \| (\d+) to (\d+) % \| (none needed|`([\w.]+)` ([+-]\d+) %) \|$",
    re.MULTILINE,
)
ROWS = ROW.findall(PAGE.read_text("utf-8"))
DOCUMENTED = {mode: (int(low), int(high)) for mode, low, high, *_ in ROWS}
SMALLEST = {mode: Change(name, int(percent)) for mode, *_, name, percent in ROWS if name}
NONE_NEEDED = [mode for mode, _, _, change, *_ in ROWS if change == "none needed"]
RACING = [mode.name for mode in MODES.values() if "H" in mode.expect]
CORRECT = [mode.name for mode in MODES.values() if mode.group == "correct"]
JITTER = 25.0
LONG = settings().max_examples > 100
RUNS = 15 if not LONG else 500
CORRECT_RUNS = 10 if not LONG else 1000


@lru_cache(maxsize=30)
def config_of(mode: str) -> RunConfig:
    return cut_where_it_races(configure(mode))


def explored(mode: str, runs: int) -> Exploration:
    *_, found = explore(config_of(mode), JITTER, runs)
    return found


def last(search: object) -> Search:
    *_, found = search
    return found


def test_every_racing_mode_has_a_range_of_at_most_20_points() -> None:
    assert set(DOCUMENTED) == set(RACING)
    assert all(0 <= low <= high <= 100 and high - low <= 20 for low, high in DOCUMENTED.values())


@pytest.mark.parametrize("mode", every(3, RACING))
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


def test_a_process_that_is_ended_is_told_and_the_next_exploration_has_new_ones() -> None:
    config = configure("no-reuse-device-output", steps=5)
    next(explore(config, JITTER, CHUNK, workers=2))
    for process in process_pool(2)._processes.values():
        process.kill()
    with pytest.raises(ExploreError, match="Start the exploration again"):
        list(explore(config, JITTER, 10_000, workers=2))
    *_, found = explore(config, JITTER, CHUNK, workers=2)
    assert len(found.outcomes) == CHUNK


def test_an_exploration_can_be_stopped_behind_any_run() -> None:
    runs = explore(configure("no-wait-compute", steps=6), JITTER, 100)
    assert [len(next(runs).outcomes) for _ in range(3)] == [1, 2, 3]


def corrupts(config: RunConfig, change: Change) -> bool:
    return first_wrong_step(change.apply(config), truth_of(config)) != NONE


def test_every_racing_mode_says_what_shows_its_race() -> None:
    assert sorted([*SMALLEST, *NONE_NEEDED]) == sorted(RACING)


@pytest.mark.parametrize("mode", NONE_NEEDED)
def test_a_race_that_shows_needs_no_change(mode: str) -> None:
    change = last(smallest_change(config_of(mode))).found
    assert change == Change("", 0)
    assert corrupts(config_of(mode), change)


@pytest.mark.parametrize("mode", SMALLEST)
def test_the_documented_change_makes_the_hidden_race_visible_and_a_smaller_one_does_not(
    mode: str,
) -> None:
    config, change = config_of(mode), SMALLEST[mode]
    assert not corrupts(config, Change("", 0))
    assert execute(change.apply(config)).token_diff.count > 0
    smaller = replace(change, percent=change.percent - (1 if change.percent > 0 else -1))
    assert not corrupts(config, smaller)


@pytest.mark.slow
@pytest.mark.parametrize("mode", SMALLEST)
def test_the_search_finds_what_is_documented(mode: str) -> None:
    assert last(smallest_change(config_of(mode))).found == SMALLEST[mode]


@pytest.mark.slow
def test_the_smallest_change_is_found_in_a_run_with_toggles_and_a_cost_model_of_its_own() -> None:
    config = configure("async", set={"record_point": "early"}, cost="small-gpu", steps=24)
    assert not corrupts(config, Change("", 0))
    change = last(smallest_change(config)).found
    assert change is not None and change.percent
    assert execute(change.apply(config)).token_diff.count > 0


def test_a_run_is_cut_where_all_of_its_races_have_come_up() -> None:
    late = configure("cancel-at-once")
    assert execute(replace(late, steps=24, compute=False)).hazards == []
    for config in (late, configure("no-wait-h2d"), configure("async")):
        cut = cut_where_it_races(config)
        kinds = {(h.kind, h.resource, h.missing_edge) for h in execute(cut).hazards}
        assert kinds == {(h.kind, h.resource, h.missing_edge) for h in execute(config).hazards}
        assert cut.steps == STEPS or cut.steps > STEPS and config is late
    assert cut_where_it_races(replace(late, steps=7)).steps == 7


def test_a_change_is_written_as_a_fork_takes_it() -> None:
    for percent in (-84, 19, 384):
        change = Change("compute.layer", percent)
        fork = make_fork(0, {change.duration: change.factor})
        assert fork.cost(configure("async").cost) == change.cost(configure("async").cost)


def test_a_change_makes_one_duration_longer_or_shorter() -> None:
    config = configure("async")
    cost = Change("compute.layer", 50).cost(config.cost)
    assert cost.kernel_ns["layer"] == config.cost.kernel_ns["layer"] * 3 // 2
    assert Change("h2d", -25).cost(config.cost).h2d_ns == config.cost.h2d_ns * 3 // 4
    assert replace(cost, kernel_ns=config.cost.kernel_ns) == config.cost
    for name in single_durations(config.cost):
        assert Change(name, 100).cost(config.cost) != config.cost


@pytest.mark.slow
def test_a_correct_run_has_no_smallest_change() -> None:
    found = last(smallest_change(configure("async", steps=2)))
    assert found.found is None and found.tried > 100
