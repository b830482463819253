"""The benchmark of races: how a mode is tried, and when it is not as it should be."""

import pytest

from benchmarks.measured_races import Outcome, page, try_mode
from benchmarks.race_modes import CORRECT, LATE, RACING


def test_a_racing_mode_goes_wrong_and_a_correct_one_does_not():
    racing = try_mode("no-wait-compute", "threads", runs=1, steps=4, widen_ms=40)
    assert racing.as_it_should and (racing.wrong, racing.same, racing.races) == (1, 1, 1)
    correct = try_mode("async", "threads", runs=1, steps=4, widen_ms=40)
    assert correct.as_it_should and (correct.wrong, correct.races) == (0, 0)


@pytest.mark.parametrize(
    ("outcome", "right"),
    [
        (Outcome("no-wait-h2d", 10, 10, 10, 1), True),
        (Outcome("no-wait-h2d", 10, 9, 10, 1), False),
        (Outcome("async", 50, 0, 50, 0), True),
        (Outcome("async", 50, 1, 50, 0), False),
        (Outcome("async", 50, 0, 49, 0), False),
    ],
)
def test_a_mode_is_as_it_should_be_in_all_of_its_runs(outcome, right):
    assert outcome.as_it_should is right
    assert ("NOT AS EXPECTED" in page([outcome], "threads", 8, 80, ("0", "1"))) is not right


def test_modes_are_racing_or_correct_and_not_both():
    assert {"no-wait-h2d", *LATE} <= set(RACING) and {"sync", "async", "pageable"} <= set(CORRECT)
    assert not set(RACING) & set(CORRECT)
