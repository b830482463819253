"""Whatever is switched, a run ends with its verdicts: a broken rule is a sentence, no exception.

The workloads bring together what the toggles of memory meet: drafts, a window, a prefix cache,
preemption, cancels and ids that come again.
"""

from dataclasses import replace

import pytest

from engine import configure, execute
from engine.mechanisms.table import TABLE
from engine.workloads.workload import Prompt, Workload

TEXT = "Long ago there was a"
TIGHT = Workload(
    batch=2, max_batched_tokens=12, block_size=4, kv_blocks=16, speculate=4, window=5,
    prefix_cache=True, admission="on-demand", preemption="swap",
    requests=(
        Prompt(TEXT, 17, "a"), Prompt(TEXT, 23, "b", 2, cancel_step=9),
        Prompt("hi", 15, "a", 4, after="a"), Prompt(TEXT, 9, "c", 8),
    ),
)  # fmt: skip
WORKLOADS = {
    "tight": TIGHT,
    "drafts": replace(TIGHT, kv_blocks=40, window=0, prefix_cache=False, admission="full"),
    "no drafts": replace(TIGHT, speculate=0, kv_blocks=40, admission="full"),
}
VALUES = [(info.name, value) for info in TABLE for value in info.values[1:]]


@pytest.mark.parametrize(
    ("work", "depth"),
    [
        ("tight", 4),
        pytest.param("drafts", 3, marks=pytest.mark.slow),
        pytest.param("no drafts", 2, marks=pytest.mark.slow),
    ],
)
def test_no_value_of_any_toggle_ends_a_run_with_an_exception(work, depth):
    for name, value in VALUES:
        switched = {"depth": depth, "device_slots": depth, "host_slots": depth, name: value}
        result = execute(configure("async", set=switched, workload=WORKLOADS[work], compute=False))
        assert result.steps and all(isinstance(broken, str) for broken in result.invariants)


@pytest.mark.parametrize(("computes", "depth"), [(True, 2), (False, 3)])
def test_drafts_of_a_request_that_was_freed_too_early_are_a_broken_invariant(computes, depth):
    switched = {"free_on": "scheduled", "depth": depth}
    result = execute(
        configure("async", set=switched, workload="constrained-drafts", compute=computes)
    )
    assert any("are released twice" in broken for broken in result.invariants)
