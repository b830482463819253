"""Races named in the words of the loop, and the four reuse edges of its slots.

pytest tests/engine/checker/test_hazards.py
"""

from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.checker.hazards import apply_fix, find_hazards, find_races, missing_edge
from engine.oplog import OpKind, OpLog
from tests.engine.interleavings import random_loop, random_program
from tests.engine.pipelines import (
    COMPUTE,
    D2H_R,
    D2H_W,
    H2D,
    H2D_R,
    H2D_W,
    HOST_R,
    HOST_W,
    KERNEL_ELSEWHERE,
    KERNEL_R,
    KERNEL_W,
    LOOP_FAULTS,
    REUSE_EDGES,
    WAITS,
    Builder,
    pipeline,
    two_accesses,
    verdict,
)

seeds = st.integers(0, 2**32)


def scrambled_program(rng: Random) -> OpLog:
    return random_program(rng, stepped=True)


@given(seeds, st.sampled_from([random_loop, random_program, scrambled_program]))
def test_leaving_out_implied_races_loses_no_group(seed, generate):
    log = generate(Random(seed))
    every = {
        (race.kind, log.buffers[race.buffer].resource, missing_edge(race.first, race.second))
        for race in find_races(log, every=True)
    }
    assert verdict(log) == every


@given(seeds, st.data())
def test_the_verdict_does_not_depend_on_the_times_in_the_log(seed, data):
    log = random_loop(Random(seed))
    moments = st.lists(st.integers(0, 10**9), min_size=len(log), max_size=len(log))
    starts, ends = data.draw(moments), data.draw(moments)
    shuffled = [
        replace(op, issue_ns=start, start_ns=start, end_ns=end)
        for op, start, end in zip(log, starts, ends, strict=True)
    ]
    again = find_hazards(OpLog(shuffled, log.streams, log.buffers))
    assert again == find_hazards(log)


NAMED_EDGES = [
    (H2D_W, KERNEL_R, "RAW", "h2d_done -> compute", "wait_event"),
    (KERNEL_W, D2H_R, "RAW", "compute_done -> d2h", "wait_event"),
    (D2H_W, HOST_R, "RAW", "d2h_done -> host read", "synchronize"),
    (H2D_R, HOST_W, "WAR", "h2d_done -> host write", "synchronize"),
    (KERNEL_R, H2D_W, "WAR", "compute_done -> h2d", "wait_event"),
    (D2H_R, KERNEL_W, "WAR", "d2h_done -> compute", "wait_event"),
    (KERNEL_W, H2D_W, "WAW", "compute_done -> h2d", "wait_event"),
    (D2H_W, HOST_W, "WAW", "d2h_done -> host write", "synchronize"),
    (H2D_W, D2H_R, "RAW", "h2d_done -> d2h", "wait_event"),
    (KERNEL_W, KERNEL_ELSEWHERE, "RAW", "compute_done -> compute", "wait_event"),
]


@pytest.mark.parametrize(("first", "second", "kind", "edge", "how"), NAMED_EDGES)
def test_each_missing_edge_has_its_name_and_its_remedy(first, second, kind, edge, how):
    (hazard,) = find_hazards(two_accesses(first, second))
    assert (hazard.kind, hazard.missing_edge, hazard.fix.how) == (kind, edge, how)
    assert (hazard.fix.steps_back, hazard.step, hazard.count) == (1, 1, 1)


def test_a_copy_issued_before_the_older_batch_was_read_overwrites_it():
    (hazard,) = find_hazards(two_accesses(D2H_W, HOST_R, steps=(5, 3)))
    assert (hazard.kind, hazard.missing_edge) == ("WAR", "host read -> d2h")
    assert (hazard.fix.how, hazard.fix.steps_back, hazard.ops) == ("finish_first", 2, (1, 0))
    assert hazard.fix.text == (
        "finish the batch that still owns this host slot before enqueueing the copy"
    )


def test_a_copy_issued_before_an_older_kernel_read_its_target_overwrites_it():
    log = two_accesses(H2D_W, KERNEL_R, steps=(2, 1))
    (hazard,) = find_hazards(log)
    assert (hazard.kind, hazard.missing_edge) == ("WAR", "compute_done -> h2d")
    assert hazard.fix.how == "finish_first"
    fixed = apply_fix(log, hazard.fix)
    assert [op.kind for op in fixed] == [OpKind.KERNEL, OpKind.WAIT, OpKind.H2D]


def test_a_nearer_race_hides_no_older_one_in_the_other_logical_order():
    builder = Builder()
    tokens = builder.buffer("device inputs")
    for step in (5, 1, 0):
        builder.add(OpKind.KERNEL, COMPUTE, reads=[tokens], step=step)
    builder.add(OpKind.H2D, H2D, writes=[tokens], step=3)
    assert verdict(builder.log) == {
        ("WAR", "device inputs", "compute_done -> h2d"),
        ("RAW", "device inputs", "h2d_done -> compute"),
    }
    assert [race.first.step for race in find_races(builder.log)] == [0, 3]


@pytest.mark.parametrize("steps", [(-1, -1), (4, 4), (-1, 2), (2, -1)])
def test_log_order_decides_where_steps_are_equal_or_absent(steps):
    (hazard,) = find_hazards(two_accesses(H2D_W, KERNEL_R, steps=steps))
    assert (hazard.kind, hazard.missing_edge, hazard.fix.steps_back) == (
        "RAW",
        "h2d_done -> compute",
        0,
    )


@pytest.mark.parametrize(("depth", "slots"), list(product(range(1, 5), repeat=2)))
def test_a_loop_with_all_its_edges_has_no_hazard(depth, slots):
    assert find_hazards(pipeline(8, depth, slots)) == []


@pytest.mark.parametrize("toggle", WAITS)
@pytest.mark.parametrize(("depth", "slots"), [(1, 1), (2, 2), (2, 1), (3, 4)])
def test_a_missing_wait_is_the_one_hazard_named(toggle, depth, slots):
    assert verdict(pipeline(8, depth, slots, [toggle])) == {LOOP_FAULTS[toggle]}


@pytest.mark.parametrize("toggle", REUSE_EDGES)
@pytest.mark.parametrize(("depth", "slots"), list(product(range(1, 5), repeat=2)))
def test_a_reuse_edge_is_needed_exactly_with_fewer_slots_than_batches_in_flight(
    toggle, depth, slots
):
    expected = {LOOP_FAULTS[toggle]} if slots < depth else set()
    assert verdict(pipeline(10, depth, slots, [toggle])) == expected


def test_the_edge_runs_from_the_last_racing_copy_to_the_first_kernel_that_reads():
    (hazard,) = find_hazards(pipeline(5, missing=["wait_h2d"]))
    assert (hazard.fix.after, hazard.fix.before) == ("h2d positions", "embed")
    assert hazard.labels == ("positions", "tokens")
    assert (hazard.first, hazard.second) == (
        "h2d tokens of batch 0 on H2D",
        "embed of batch 0 on compute",
    )


def test_a_hazard_becomes_plain_json_values():
    (hazard,) = find_hazards(pipeline(5, missing=["sync_d2h"]))
    assert hazard.to_json() == {
        "kind": "RAW",
        "resource": "host outputs",
        "labels": ["ids"],
        "step": 0,
        "first": "d2h ids of batch 0 on D2H",
        "second": "read ids of batch 0 on the host",
        "missing_edge": "d2h_done -> host read",
        "fix": "batch.d2h_done.synchronize()  # before the host reads it",
        "count": 5,
    }
