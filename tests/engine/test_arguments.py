"""Whatever is handed to `run`: it runs, or one sentence says what is wrong. Objects made in Python
meet the rules of files.
"""

import math
from dataclasses import fields
from fractions import Fraction
from pathlib import Path

import pytest

from engine import configure, run
from engine.device.cost import CostError, CostModel
from engine.workloads.file import dump_workload, workload_from_dict
from engine.workloads.presets import WORKLOADS
from engine.workloads.workload import Prompt, Workload, WorkloadError
from tests.engine.workloads.test_file import OUT_OF_RANGE

ANYTHING = (
    None, True, False, -1, 0, 1.5, math.nan, math.inf, 10**400, "x", "", b"x", [], {}, (),
    object(), "1", [1], {1: 2}, {"depth": None}, {"depth": [1]}, {"depth": "x"}, {None: 1},
    ["depth=2"], "depth=2", Fraction(1, 2), 1j,
)  # fmt: skip
ARGUMENTS = (
    "mode", "set", "cost", "workload", "batch", "steps", "requests", "seed", "jitter", "compute",
    "device", "pace", "widen_ms", "model",
)  # fmt: skip


@pytest.mark.parametrize("name", ARGUMENTS)
def test_an_argument_is_used_or_refused_in_one_sentence_of_ours(name):
    for value in ANYTHING:
        try:
            configure(**{name: value})
        except ValueError as refusal:
            assert type(refusal).__module__.startswith("engine")
            assert str(refusal) and "\n" not in str(refusal)


def test_a_path_is_as_good_as_its_text(tmp_path):
    path = tmp_path / "w.json"
    path.write_text(dump_workload(WORKLOADS["churn"]), encoding="utf-8")
    assert configure(workload=path).workload == WORKLOADS["churn"]
    assert configure(cost=Path("cpu-bound")).cost.name == "cpu-bound"


@pytest.mark.parametrize(("key", "value"), [(k, v) for k, vs in OUT_OF_RANGE.items() for v in vs])
def test_a_workload_object_meets_the_limits_of_a_file(key, value):
    with pytest.raises(WorkloadError) as of_file:
        workload_from_dict({key: value})
    with pytest.raises(WorkloadError) as of_object:
        configure(workload=Workload(**{key: value}))
    assert str(of_object.value) == str(of_file.value)


@pytest.mark.parametrize(
    "requests",
    [
        (Prompt("a", 0),), (Prompt("a", 1, after="zz"),), (Prompt("a", 1, "b"),) * 2,
        (Prompt(5, 1),), (Prompt("a", 1, stop="x"),), (Prompt("a", 1, grammar="xml"),), ("a",),
        None,
    ],
)  # fmt: skip
def test_a_listed_request_that_makes_no_sense_is_refused(requests):
    with pytest.raises(WorkloadError):
        configure(workload=Workload(requests=requests))


@pytest.mark.parametrize("item", fields(CostModel), ids=lambda item: item.name)
def test_every_entry_of_a_cost_object_has_its_rule(item):
    for value in (-5, 1.5, None, {"layer": 1.5, "schedule": 1.5}):
        with pytest.raises(CostError):
            configure(cost=CostModel(**{item.name: value}))


@pytest.mark.parametrize("made", [Workload, CostModel])
@pytest.mark.parametrize("key", ["name", "about"])
def test_text_that_no_file_can_hold_is_refused_by_name(made, key):
    kind = "workload" if made is Workload else "cost"
    with pytest.raises(ValueError, match=f"{kind} entry '{key}' holds half of a surrogate pair"):
        configure(**{kind: made(**{key: "a\ud800"})})


def test_lists_do_where_a_file_has_lists():
    listed = Workload(requests=[Prompt("a", 2, stop=["x"])], stop=["y"])
    result = run(workload=listed, compute=False)
    assert hash(result.config) and result.config.workload.stop == ("y",) and result.steps
