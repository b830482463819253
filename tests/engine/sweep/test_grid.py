"""The combinations of a grid."""

import pytest

from engine.config import ConfigError
from engine.sweep.grid import axes_of, combinations

BASE = {"mode": "async", "seed": None, "set": {"depth": "3"}}


def test_axes_are_lists_and_ranges_and_runs_of_the_same_work_follow_each_other():
    axes = axes_of(["depth=1,2", "mode=sync,async", "seed=0:2,7", "cost=C8.2-G27-F4.8,worked-2-6"])
    assert axes == {
        "seed": [0, 1, 7], "cost": ["C8.2-G27-F4.8", "worked-2-6"], "mode": ["sync", "async"],
        "depth": ["1", "2"],
    }  # fmt: skip
    points = list(combinations(axes, BASE))
    assert len(points) == 24
    work = [(point["seed"], point["cost"]) for point in points]
    assert len(list(dict.fromkeys(work))) * 4 == len(work)
    assert work == sorted(work, key=lambda pair: list(dict.fromkeys(work)).index(pair))


def test_an_axis_takes_the_place_of_the_same_option_and_leaves_the_others():
    points = list(combinations(axes_of(["depth=1:4:2", "mode=sync"]), BASE))
    assert [point["set"] for point in points] == [{"depth": "1"}, {"depth": "3"}]
    assert {point["mode"] for point in points} == {"sync"}
    assert list(combinations(axes_of(["wait_h2d=on,off"]), BASE))[1]["set"] == {
        "depth": "3", "wait_h2d": "off",
    }  # fmt: skip
    assert list(combinations({}, BASE)) == [BASE]


@pytest.mark.parametrize(
    "grid",
    [
        ["depth"], ["depth="], ["dpeth=1"], ["batch=many"], ["seed=1.5"], ["seed=5:5"],
        ["seed=0:999999999999"], ["jitter=200"], ["seed=1", "seed=2"], ["=1"],
        ["seed=0:1000", "batch=1:1000"], ["seed=" + "9" * 20], ["seed=1,-" + "9" * 20],
        ["seed=999999999998:1999999999999:1000000000000"], ["steps=0"], ["batch=0:3"],
    ],
)  # fmt: skip
def test_what_is_no_axis_is_refused_in_one_sentence(grid):
    with pytest.raises(ConfigError) as refusal:
        axes_of(grid)
    assert len(str(refusal.value).splitlines()) == 1
