"""What is ordered and what races: against an oracle, and rule by rule.

pytest tests/engine/checker/test_happens_before.py
"""

from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.checker import races
from engine.checker.happens_before import clocks
from engine.checker.hazards import find_hazards, find_races
from engine.oplog import HOST, OpKind, StreamKind, row_mask
from tests.engine.interleavings import conflict, racing_pairs, random_loop, random_program
from tests.engine.pipelines import (
    COMPUTE,
    D2H,
    H2D,
    REUSE_EDGES,
    WAITS,
    Builder,
    found_pairs,
    pipeline,
)

PROGRAMS = range(1000)
seeds = st.integers(0, 2**32)


@pytest.mark.parametrize("stepped", [False, True])
def test_the_checker_agrees_with_every_interleaving_of_1000_random_programs(stepped):
    racing = 0
    for seed in PROGRAMS:
        log = random_program(Random(seed), stepped)
        expected = racing_pairs(log)
        assert found_pairs(log) == expected, f"seed {seed}"
        racing += bool(expected)
    assert 300 < racing < 700  # the comparison means something on either side


def test_the_oracle_sees_a_race_and_the_wait_that_ends_it():
    racy, ordered = Builder(), Builder()
    for builder in (racy, ordered):
        tokens = builder.buffer("device inputs")
        copy = builder.add(OpKind.H2D, H2D, writes=[tokens])
        if builder is ordered:
            builder.add(OpKind.WAIT, COMPUTE, target=copy)
        builder.add(OpKind.KERNEL, COMPUTE, reads=[tokens])
    assert racing_pairs(racy.log) == {(0, 1)}
    assert racing_pairs(ordered.log) == set()


@given(seeds)
def test_stopping_the_search_early_never_changes_the_result(seed):
    log = random_loop(Random(seed), steps=8)
    known = list(clocks(log))
    unpruned = {
        (a.seq, b.seq)
        for a, b in combinations(log.ops, 2)
        if a.stream != HOST and known[b.seq][a.stream] < a.seq and a.stream != b.stream
        if conflict(a, b)
    }
    assert found_pairs(log) == unpruned


def test_disjoint_rows_and_shared_reads_are_no_race():
    builder = Builder()
    buffer = builder.buffer("kv blocks")
    builder.add(OpKind.KERNEL, COMPUTE, writes=[buffer], rows=row_mask(0, 4))
    builder.add(OpKind.H2D, H2D, writes=[buffer], rows=row_mask(4, 8))
    builder.add(OpKind.D2H, D2H, reads=[buffer], rows=row_mask(0, 0))
    assert find_hazards(builder.log) == []
    builder.add(OpKind.D2H, D2H, reads=[buffer], rows=row_mask(3, 5))
    assert found_pairs(builder.log) == {(0, 3), (1, 3)}


def copy_then_kernel(*between, kinds=(StreamKind.NON_BLOCKING,) * 3, streams=(H2D, COMPUTE)):
    """A copy and a kernel that reads it, with (kind, stream, target) operations between."""
    builder = Builder(kinds)
    buffer = builder.buffer("device inputs")
    builder.add(OpKind.H2D, streams[0], writes=[buffer])
    for kind, stream, target in between:
        builder.add(kind, stream, target=target)
    builder.add(OpKind.KERNEL, streams[1], reads=[buffer])
    return bool(find_hazards(builder.log))


def test_a_wait_orders_and_a_wait_on_nothing_does_not():
    assert not copy_then_kernel((OpKind.RECORD, H2D, -1), (OpKind.WAIT, COMPUTE, 1))
    assert copy_then_kernel((OpKind.WAIT, COMPUTE, -1), (OpKind.RECORD, H2D, -1))


def test_a_wait_for_an_earlier_record_misses_what_came_after_it():
    builder = Builder()
    buffer = builder.buffer("device inputs")
    too_early = builder.add(OpKind.RECORD, H2D)
    builder.add(OpKind.H2D, H2D, writes=[buffer])
    builder.add(OpKind.RECORD, H2D)
    builder.add(OpKind.WAIT, COMPUTE, target=too_early)
    builder.add(OpKind.KERNEL, COMPUTE, reads=[buffer])
    assert found_pairs(builder.log) == {(1, 4)}


def test_order_passes_from_stream_to_stream():
    assert not copy_then_kernel((OpKind.WAIT, D2H, 0), (OpKind.WAIT, COMPUTE, 1))


@pytest.mark.parametrize(
    ("sync", "racing"),
    [
        ((OpKind.SYNC_OP, HOST, 0), False),
        ((OpKind.SYNC_STREAM, H2D, -1), False),
        ((OpKind.SYNC_DEVICE, HOST, -1), False),
        ((OpKind.SYNC_OP, HOST, -1), True),
        ((OpKind.SYNC_STREAM, D2H, -1), True),
    ],
)
def test_a_launch_after_the_host_waited_comes_after_what_it_waited_for(sync, racing):
    assert copy_then_kernel(sync) is racing


@pytest.mark.parametrize(
    ("copy_stream", "kernel_stream", "racing"),
    [
        (StreamKind.BLOCKING, StreamKind.DEFAULT, False),
        (StreamKind.DEFAULT, StreamKind.BLOCKING, False),
        (StreamKind.BLOCKING, StreamKind.BLOCKING, True),
        (StreamKind.NON_BLOCKING, StreamKind.DEFAULT, True),
        (StreamKind.DEFAULT, StreamKind.NON_BLOCKING, True),
    ],
)
def test_the_default_stream_is_a_barrier_for_blocking_streams_only(
    copy_stream, kernel_stream, racing
):
    assert copy_then_kernel(kinds=(copy_stream, kernel_stream)) is racing


def test_default_stream_work_orders_two_blocking_streams_around_it():
    kinds = (StreamKind.BLOCKING, StreamKind.BLOCKING, StreamKind.DEFAULT)
    assert not copy_then_kernel((OpKind.KERNEL, 2, -1), kinds=kinds)


def test_the_work_grows_with_the_length_of_a_run_that_never_waits(monkeypatch):
    visits = 0

    def counted(entries):
        nonlocal visits
        for entry in reversed(entries):
            visits += 1
            yield entry

    monkeypatch.setattr(races, "reversed", counted, raising=False)
    work = []
    for steps in (100, 200):
        visits = 0
        assert list(find_races(pipeline(steps, missing=WAITS + REUSE_EDGES)))
        work.append(visits)
    assert work[1] <= 2.1 * work[0]
