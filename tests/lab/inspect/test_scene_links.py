"""From a finding to the scene that shows the same fault."""

import pytest

from engine.mechanisms.table import BY_NAME
from lab.inspect.scene_links import lesson_of, run_query, scene_of, timeline_query
from lab.timeline.state import Choice
from lessons.lesson import Lesson
from lessons.loading import lessons
from traces.finding_rules import RULES

LINKED = [rule for rule in RULES if rule.mechanism]


@pytest.mark.parametrize("rule", LINKED, ids=lambda rule: rule.name)
def test_the_scene_has_the_rules_toggle_the_wrong_way_round(rule) -> None:
    name, _, right = rule.mechanism.partition("=")
    scene = scene_of(rule.name, rule.mechanism)
    assert scene is not None
    if right == BY_NAME[name].correct:
        assert scene.toggles[name] != right
    else:
        assert scene.toggles[name] == right
    assert "H" not in scene.expect or scene.cause  # a gap is explained by no race


@pytest.mark.parametrize(
    ("rule", "mechanism", "scene"),
    [
        ("scalar read", "item_sync=off", "item-sync"),
        ("CPU work between steps", "depth=2", "sync"),
        ("stream synchronise", "sync_d2h=event", "device-sync-for-results"),
        ("starved by launches", "graphs=shared", "graph-replay"),
    ],
)
def test_what_a_reader_would_look_for_is_found(rule: str, mechanism: str, scene: str) -> None:
    found = scene_of(rule, mechanism)
    assert found is not None and found.name == scene


def test_without_a_mechanism_there_is_no_scene() -> None:
    assert scene_of("incomplete trace", "") is None


def test_a_link_with_step_times_runs_the_scene_on_them() -> None:
    query = timeline_query("sync", "C2-G6-F1-in0.5")
    config = Choice(query["mode"], cost=query["cost"], workload="chat").config()
    assert (config.cost.gpu_step_ns, config.cost.h2d_ns) == (6_000_000, 500_000)
    assert timeline_query("async") == {"mode": "async"}


@pytest.mark.parametrize("rule", LINKED, ids=lambda rule: rule.name)
def test_the_lesson_has_a_scene_about_the_rules_toggle_or_mode(rule) -> None:
    lesson = lesson_of(rule.name, rule.mechanism)
    mode = scene_of(rule.name, rule.mechanism)
    name = rule.mechanism.partition("=")[0]

    def is_about(other: Lesson) -> bool:
        return any(scene.mode == mode.name or name in scene.switches for scene in other.scene)

    assert any(map(is_about, lessons().values())) == (lesson is not None)
    assert lesson is None or is_about(lesson)


def test_the_gap_between_steps_leads_to_the_lesson_about_it() -> None:
    lesson = lesson_of("CPU work between steps", "depth=2")
    assert lesson is not None and lesson.id == "03"
    assert lesson_of("incomplete trace", "") is None


@pytest.mark.parametrize(
    ("choice", "query"),
    [
        (Choice(), {"mode": "async"}),
        (Choice("no-wait-h2d", steps=4), {"mode": "no-wait-h2d", "steps": "4"}),
        (Choice("no-wait-h2d", {"wait_h2d": "on"}), {"mode": "no-wait-h2d", "wait_h2d": "on"}),
        (
            Choice("sync", {"wait_compute": "off"}, seed=5, jitter=10.0),
            {"mode": "sync", "wait_compute": "off", "seed": "5", "jitter": "10.0"},
        ),
    ],
)
def test_a_saved_run_leads_back_to_its_scene(choice, query) -> None:
    assert run_query(choice.config().describe()) == query


@pytest.mark.parametrize(
    "run",
    [
        {}, {"mode": "<script>"}, {"mode": "sync", "device": "threads"},
        {"mode": "sync", "model": "1b"}, {"mode": "sync", "fork": {}},
        {"mode": "sync", "workload": "mine"}, {"mode": "sync", "steps": "many"},
        {"mode": "sync", "toggles": {"depth": []}},
    ],
)  # fmt: skip
def test_a_run_that_the_timeline_cannot_show_has_no_link(run) -> None:
    assert run_query(run) is None
