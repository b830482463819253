"""The training loop of lesson 24: whatever overlaps, it computes what training in order does."""

import pytest

from lessons.loading import lesson_named
from lessons.programs import ran

LESSON = lesson_named("24")


def trained(**options):
    return ran(LESSON.folder, LESSON.scene_named("ahead"), options)


@pytest.mark.parametrize("reduce", ["per layer", "at the end"])
@pytest.mark.parametrize("prefetch", ["yes", "no"])
def test_loaded_early_and_reduced_early_the_loss_is_the_same_to_the_last_bit(prefetch, reduce):
    run = trained(prefetch=prefetch, reduce=reduce)
    assert run.computed["loss_off_percent"] == 0 and not run.hazards


@pytest.mark.parametrize("reduce", ["per layer", "at the end"])
def test_a_forward_pass_that_does_not_wait_reads_old_parameters_and_is_named(reduce):
    run = trained(prefetch="yes", reduce=reduce, forward="does not")
    assert run.computed["loss_off_percent"] > 1
    assert {"parameters", "gradients"} <= {hazard.resource for hazard in run.hazards}


def test_each_overlap_makes_the_run_shorter():
    times = [
        trained(prefetch="no", reduce="at the end"), trained(prefetch="no", reduce="per layer"),
        trained(prefetch="yes", reduce="per layer"),
    ]  # fmt: skip
    assert times[0].wall_ns > times[1].wall_ns > times[2].wall_ns
