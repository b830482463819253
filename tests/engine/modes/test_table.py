"""Every mode shows exactly what the catalogue says, and every proposed fix works."""

import pytest

from engine import configure, execute
from engine.mechanisms.table import TABLE, Mechanisms
from engine.modes.mode import Mode
from engine.modes.table import MODES, ModeError, mode_named
from engine.results.verdict import letters, own_gaps

RACING = [mode for mode in MODES.values() if "H" in mode.expect]
ORDERED = [mode for mode in RACING if mode.name != "graph-mixed-up"]
"""Modes that lack nothing but order: the wrong slot stays wrong in any order."""
SEEDS = range(5)


def ids(mode: Mode) -> str:
    return mode.name


def hazard_keys(result):
    return {(hazard.kind, hazard.resource) for hazard in result.hazards}


@pytest.mark.parametrize("mode", MODES.values(), ids=ids)
def test_a_mode_shows_exactly_its_verdicts_and_all_fixes_together_make_the_tokens_right(mode):
    config = configure(mode.name)
    result = execute(config)
    assert letters(result) == mode.expect
    assert hazard_keys(result) == mode.hazards
    if mode.cause:
        assert mode.cause in own_gaps(result)
    if mode in ORDERED:
        edges = tuple(edge for hazard in result.hazards for edge in hazard.fix.edges)
        repaired = execute(config, repairs=edges)
        assert not repaired.hazards
        assert repaired.token_diff.count == 0


@pytest.mark.parametrize("mode", RACING, ids=ids)
def test_the_checker_flags_a_race_on_every_seed_whatever_the_tokens(mode):
    for seed in SEEDS:
        config = configure(mode.name, seed=seed, jitter=20, compute=False)
        assert hazard_keys(execute(config)) == mode.hazards, f"seed {seed}"


@pytest.mark.parametrize("mode", RACING, ids=ids)
def test_each_fix_applied_by_the_machine_removes_its_hazard(mode):
    config = configure(mode.name, compute=False)
    for hazard in execute(config).hazards:
        repaired = execute(config, repairs=hazard.fix.edges)
        left = {(h.kind, h.resource, h.missing_edge) for h in repaired.hazards}
        assert (hazard.kind, hazard.resource, hazard.missing_edge) not in left, hazard.fix.text


def test_a_partial_fence_is_a_hazard_on_the_tensor_left_out_alone():
    hazards = execute(configure("partial-fence", compute=False)).hazards
    assert {label for hazard in hazards for label in hazard.labels} == {"block_table"}


def test_add_and_select_carry_the_same_tokens():
    by_add = execute(configure("carry-add"))
    assert by_add.texts == execute(configure("async")).texts


def test_a_host_clock_timer_reports_far_too_little_gpu_time():
    right = execute(configure("async", steps=20)).figures.measured_gpu_ms
    wrong = execute(configure("host-clock-timer", steps=20)).figures.measured_gpu_ms
    assert wrong < right / 10


def test_a_blocking_stream_stalls_where_a_non_blocking_one_races():
    toggles = {"streams": "d2h-default", "wait_compute": "off"}
    racing = execute(configure("async", set=toggles, compute=False))
    stalling = execute(configure("async", set={**toggles, "stream_kind": "blocking"}))
    assert hazard_keys(racing) == {("RAW", "device outputs")}
    assert not stalling.hazards
    assert stalling.token_diff.count == 0


def test_the_stall_of_a_blocking_stream_is_about_the_copy_time_of_a_step():
    config = configure("blocking-streams")
    share = own_gaps(execute(config))["default stream barrier"]
    copies_ns = config.cost.h2d_ns + config.cost.d2h_ns
    assert share == pytest.approx(copies_ns / (copies_ns + config.cost.gpu_step_ns), rel=0.25)


def test_every_wrong_value_of_every_toggle_has_a_mode():
    """Counts of slots and depth are free numbers."""
    shown = {(name, value) for mode in MODES.values() for name, value in mode.toggles.items()}
    missing = [
        (info.name, value)
        for info in TABLE
        if not info.is_number
        for value in info.values
        if value != info.correct and (info.name, value) not in shown
    ]
    assert missing == []


def test_every_mode_uses_known_toggles_and_names_its_gap():
    for mode in MODES.values():
        assert Mechanisms().with_settings(mode.toggles).settings() == mode.toggles
        assert bool(mode.cause) == ("G" in mode.expect)
        assert bool(mode.hazards) == ("H" in mode.expect)
        assert mode.expect <= set("THGIME")


def test_an_unknown_mode_is_told_in_one_sentence():
    with pytest.raises(ModeError, match="no mode 'nope'"):
        mode_named("nope")
