"""The URL says what differs from the mode, and gives back the same run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.device.costs import COSTS
from engine.mechanisms.table import TABLE
from engine.modes.table import MODES
from engine.workloads.presets import WORKLOADS
from lab.timeline.state import Choice, default_workload, file_name, link, mode_toggles


@pytest.mark.parametrize("name", list(MODES))
def test_a_mode_alone_is_its_name_in_the_url(name: str) -> None:
    scene = MODES[name]
    choice = Choice(name, {}, scene.cost, scene.workload, seed=scene.seed)
    assert choice.query() == ({} if name == "async" else {"mode": name})
    assert choice.config().mechanisms.settings() == {
        toggle: value
        for toggle, value in mode_toggles(scene).items()
        if value != next(info.correct for info in TABLE if info.name == toggle)
    }


def from_query(query: dict[str, str]) -> Choice:
    """What the page makes of a URL: the mode's values, and what the URL says instead."""
    scene = MODES[query.get("mode", "async")]
    cost = query.get("cost", scene.cost)
    number = {key: int(query[key]) for key in ("batch", "steps", "requests") if key in query}
    return Choice(
        scene.name,
        {info.name: query[info.name] for info in TABLE if info.name in query},
        cost,
        query.get("workload", default_workload(scene, cost)),
        seed=int(query.get("seed", scene.seed)),
        jitter=float(query.get("jitter", 0.0)),
        compute=query.get("compute", "on") == "on",
        **number,
    )


def changes_of(mode: str) -> st.SearchStrategy[dict[str, str]]:
    own = mode_toggles(MODES[mode])
    options = {
        info.name: st.sampled_from([v for v in info.values if v != own[info.name]])
        for info in TABLE
        if any(v != own[info.name] for v in info.values)
    }
    return st.fixed_dictionaries({}, optional=options)


@given(st.data())
def test_a_url_gives_back_the_same_choice(data) -> None:
    mode = data.draw(st.sampled_from(list(MODES)))
    choice = Choice(
        mode,
        data.draw(changes_of(mode)),
        data.draw(st.sampled_from(list(COSTS))),
        data.draw(st.sampled_from(list(WORKLOADS))),
        batch=data.draw(st.none() | st.integers(1, 64)),
        steps=data.draw(st.none() | st.integers(1, 99)),
        seed=data.draw(st.integers(0, 9)),
        jitter=data.draw(st.sampled_from([0.0, 12.5])),
        compute=data.draw(st.booleans()),
    )
    assert from_query(choice.query()) == choice


def test_very_long_runs_are_run_for_their_timing() -> None:
    assert not Choice(workload="published").config().compute
    assert Choice(workload="published", steps=10).config().compute
    assert Choice().config().compute


def test_links_and_file_names_say_what_they_hold() -> None:
    choice = Choice("async", {"wait_h2d": "off"})
    assert link("http://h/timeline?x=1#y", choice.query()) == "http://h/timeline?wait_h2d=off"
    assert link("http://h/timeline", {"pins": ["a", "b"]}).endswith("?pins=a&pins=b")
    assert link("http://h/timeline", {}) == "http://h/timeline"
    assert file_name(choice) == "overlap-lab-async-wait_h2d-off.json.gz"
