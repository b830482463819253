"""Each switched toggle is named with what it protects, what came of it, and the way back."""

from dataclasses import replace
from functools import cache

import pytest

from engine import configure, execute
from engine.cli import main
from engine.execution import Run
from engine.forks.fork import make_fork
from engine.mechanisms.switched import (
    CHOICES,
    Seen,
    as_lines,
    claimed_by,
    scene_of,
    switched,
    what_is_seen,
)
from engine.mechanisms.table import BY_NAME, TABLE
from engine.mechanisms.words import letters_in, wrong_of
from engine.modes.table import MODES
from engine.results.verdict import letters


@cache
def a_run(mode: str, *, steps: int | None = 24, compute: bool = True, **toggles: str) -> Run:
    return execute(configure(mode, set=toggles, steps=steps, compute=compute))


def test_a_correct_run_has_no_row():
    assert switched(a_run("async")) == ([], [])


def test_wrong_tokens_without_a_hazard_have_a_named_cause_and_a_way_back():
    result = a_run("no-carry")
    ((row,), unclaimed) = switched(result)
    diff = result.token_diff
    assert not result.hazards and diff.count
    assert (row.setting, row.put_back, unclaimed) == ("carry = none", "carry = select", [])
    assert row.when_wrong == "wrong tokens"
    assert row.seen == (
        f"wrong tokens {diff.count} of {diff.total} positions, from step {diff.first_step} on",
    )


def test_a_gap_toggle_has_its_cause_and_its_way_back():
    ((row,), _) = switched(a_run("item-sync", compute=False))
    assert row.put_back == "item_sync = off"
    (gap,) = row.seen
    assert gap.endswith(" % of the run idle beyond the async baseline: .item()")


def test_a_toggle_that_does_no_harm_here_says_nothing():
    ((row,), _) = switched(a_run("carry-add"))
    assert (row.seen, row.seen_text) == ((), "nothing")


def test_without_tokens_nothing_is_claimed_about_them():
    ((row,), _) = switched(a_run("no-carry", compute=False))
    assert "tokens were not computed" in row.seen_text


def test_a_wrong_timer_is_told_though_no_verdict_judges_it():
    result = a_run("host-clock-timer")
    ((row,), _) = switched(result)
    assert not letters(result) and row.seen[0].startswith("the engine's timer reads 0.0")


def test_of_several_toggles_each_claims_what_it_can_cause():
    result = a_run("no-wait-h2d", item_sync="on", host_slots="3")
    rows, unclaimed = switched(result)
    seen = {row.name: row.seen_text for row in rows}
    assert (
        "read after write on device inputs" in seen["wait_h2d"] and "idle" not in seen["wait_h2d"]
    )
    assert ".item()" in seen["item_sync"] and "hazard" not in seen["item_sync"]
    assert seen["host_slots"] == "nothing that can be told from what the other switches do"
    told = " ".join([*seen.values(), *unclaimed])
    assert all(item.text.partition(", and")[0] in told for item in what_is_seen(result))


def test_a_toggle_whose_time_stands_among_anothers_gaps_is_not_said_to_do_nothing():
    result = a_run("no-wait-h2d", compute=False, memory="pageable", item_sync="on")
    without = a_run("no-wait-h2d", compute=False, memory="pageable")
    assert result.figures.step_ms > without.figures.step_ms
    (told,) = (row.seen_text for row in switched(result)[0] if row.name == "item_sync")
    assert told == "nothing that can be told from what the other switches do"


def test_a_toggle_whose_race_did_not_happen_claims_no_tokens():
    rows, _ = switched(a_run("no-reuse-device-input"))
    seen = {row.name: row.seen_text for row in rows}
    assert seen["host_slots"] == "nothing that can be told from what the other switches do"
    assert "wrong tokens" in seen["reuse_device_input"]


HARMLESS = {"loop": "ready-queue", "memory": "pageable", "stream_kind": "blocking"}
"""Toggles that no mode of wrong tokens has, and that make none."""

TOKENS = Seen("T", "wrong tokens")
WRONG = [mode for mode in MODES.values() if "T" in mode.expect]


@pytest.mark.parametrize("mode", WRONG, ids=lambda mode: mode.name)
def test_wrong_tokens_are_claimed_by_a_toggle_of_their_scene_and_by_none_that_makes_none(mode):
    races = [Seen("H", "", f"{kind} {resource}") for kind, resource in mode.hazards]
    settings = {**HARMLESS, **mode.toggles}
    claims = {name for name in settings if TOKENS in claimed_by(name, settings, [TOKENS, *races])}
    assert claims and claims <= set(mode.toggles)


@pytest.mark.parametrize("depth", ["1", "3", "4"])
@pytest.mark.parametrize("mode", WRONG, ids=lambda mode: mode.name)
def test_wrong_tokens_without_a_race_are_claimed_by_what_makes_them_in_any_order(mode, depth):
    settings = {**HARMLESS, **mode.toggles, "depth": depth}
    claims = {name for name in settings if TOKENS in claimed_by(name, settings, [TOKENS])}
    in_any_order = mode.name == "graph-mixed-up" or not mode.hazards or "I" in mode.expect
    assert bool(claims) == in_any_order and claims <= set(mode.toggles) - {"depth"}


@pytest.mark.parametrize("depth", ["1", "4"])
def test_a_mixed_up_graph_is_named_where_it_races_with_nothing(depth):
    toggles = {"graphs": "shared", "graph_slot": "mixed-up", "carry": "host", "depth": depth}
    rows, _ = switched(a_run("async", steps=12, **toggles))
    assert [row.name for row in rows if any("wrong tokens" in text for text in row.seen)] == [
        "graph_slot"
    ]


@pytest.mark.parametrize("name", ["no-wait-compute", "zombie-leaked", "no-backpressure", "sync"])
def test_every_letter_of_the_verdict_is_told(name):
    result = a_run(name, steps=None)
    assert {item.letter for item in what_is_seen(result)} == letters(result) == MODES[name].expect


def test_the_lines_name_the_switch_and_the_way_back():
    (line,) = as_lines(a_run("no-carry"))
    assert line.startswith("switched carry = none. Right is select: ")
    assert "In this run: wrong tokens" in line and line.endswith("Put back: carry = select")


@pytest.mark.parametrize(("mode", "depth"), [("sync", "1"), ("async", "3")])
def test_a_way_to_run_that_is_no_fault_is_not_to_be_put_back(mode, depth):
    result = a_run(mode, compute=False, depth=depth)
    ((row,), unclaimed) = switched(result)
    (line,) = as_lines(result)
    assert row.is_choice and not unclaimed
    assert line.startswith(f"chosen depth = {depth}, which is no fault (usual: 2): ")
    assert "Put back" not in line and "Right is" not in line
    assert ("idle beyond" in line) == (mode == "sync")


def test_a_choice_that_does_harm_in_a_run_is_to_be_put_back():
    rows, _ = switched(a_run("depth-over-slots"))
    (depth,) = [row for row in rows if row.name == "depth"]
    assert not depth.is_choice and depth.seen


def test_no_choice_has_a_verdict_of_its_own_in_the_table():
    for name, values in CHOICES.items():
        for value in values:
            assert value in BY_NAME[name].values and value != BY_NAME[name].correct
            if name != "depth":  # whose verdicts need fewer slots and the reuse edges off
                assert not letters_in(wrong_of(BY_NAME[name], value))


def test_the_command_line_prints_them_as_text_only(capsys):
    arguments = ["run", "--mode", "no-carry", "--steps", "8"]
    assert main(arguments) == 0
    assert "switched carry = none. Right is select: The token" in capsys.readouterr().out
    assert main([*arguments, "--json"]) == 0
    assert "Put back" not in capsys.readouterr().out


def test_a_toggle_that_shows_nothing_names_the_scene_that_shows_it():
    ((row,), _) = switched(a_run("async", carry="add", steps=4))
    assert not row.seen and dict(MODES[row.scene].toggles)["carry"] == "add"
    (line,) = as_lines(a_run("async", carry="add", steps=4))
    assert f"Seen with --mode {row.scene}." in line


def test_every_wrong_value_has_a_scene_that_shows_it():
    for info in TABLE:
        for value in info.values[1:]:
            scene = scene_of(info.name, value)
            assert MODES[scene].toggles[info.name] == value
            assert scene_of(info.name, value, besides=scene) == ""


@pytest.mark.parametrize("memory", ["host", "device"])
def test_a_reuse_edge_that_another_implies_says_so(memory):
    toggle = f"reuse_{memory}_input"
    ((row,), _) = switched(a_run("async", **{toggle: "off"}))
    assert "another edge implies this one" in row.seen_text and not row.seen
    rows, _ = switched(a_run("async", **{toggle: "off", f"{memory}_slots": "1"}))
    needed = next(row for row in rows if row.name == toggle)
    assert needed.seen and not needed.alone


@pytest.mark.parametrize("name", ["wait_h2d", "sync_d2h", "commit", "kv_release"])
def test_a_toggle_that_a_fork_switches_has_its_row(name):
    wrong = BY_NAME[name].values[1]
    for depth in ("2", "3"):
        fork = make_fork(60, {name: wrong})
        config = configure("async", set={"depth": depth}, steps=6, compute=False, fork=fork)
        rows, _ = switched(execute(config))
        assert f"{name} = {wrong}" in [row.setting for row in rows]


def test_idle_time_of_work_held_back_on_purpose_is_no_switch_of_anyones():
    held = replace(a_run("item-sync", compute=False).config, widen_ms=5)
    assert any(item.letter == "G" for item in what_is_seen(a_run("item-sync", compute=False)))
    result = replace(a_run("item-sync", compute=False), config=held)
    assert not any(item.letter == "G" for item in what_is_seen(result))
