"""Every fix, applied to the log, removes the hazard it was made for.

pytest tests/engine/checker/test_fixes.py
"""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine import configure, execute
from engine.checker.hazards import apply_fix, find_hazards, find_races
from engine.oplog import OpKind, OpLog
from tests.engine.interleavings import racing_pairs, random_loop, random_program
from tests.engine.pipelines import (
    D2H,
    D2H_W,
    H2D_R,
    H2D_W,
    HOST_R,
    HOST_W,
    KERNEL_R,
    LOOP_FAULTS,
    REUSE_EDGES,
    WAITS,
    Builder,
    found_pairs,
    pipeline,
    two_accesses,
    verdict,
)

PROGRAMS = range(1000)


def named_pairs(log: OpLog) -> set[frozenset[tuple[str, int]]]:
    """All racing pairs by name and step, which survive renumbering."""
    races = find_races(log, every=True)
    return {frozenset((op.name, op.step) for op in (r.first, r.second)) for r in races}


@pytest.mark.parametrize("generate", [random_program, random_loop])
def test_every_fix_removes_its_group_from_random_programs(generate):
    tried = 0
    for seed in PROGRAMS[::2]:
        log = generate(Random(seed))
        for hazard in find_hazards(log):
            fixed = verdict(apply_fix(log, hazard.fix))
            assert (hazard.kind, hazard.resource, hazard.missing_edge) not in fixed, f"seed {seed}"
            tried += 1
    assert tried > 500


@pytest.mark.parametrize("names", [1, 2])
@pytest.mark.parametrize("generate", [random_program, random_loop])
def test_a_fix_also_works_where_operations_of_many_streams_have_one_name(generate, names):
    tried = 0
    for seed in PROGRAMS[::8]:
        named = generate(Random(seed))
        ops = [replace(op, name=f"op {op.seq % names}") for op in named]
        log = OpLog(ops, named.streams, named.buffers)
        for hazard in find_hazards(log):
            fixed = verdict(apply_fix(log, hazard.fix))
            assert (hazard.kind, hazard.resource, hazard.missing_edge) not in fixed, f"seed {seed}"
            tried += 1
    assert tried > 100


def test_a_fix_ends_the_race_it_shows_and_adds_none_even_where_steps_are_scrambled():
    for seed in PROGRAMS:
        log = random_program(Random(seed), stepped=True)
        for hazard in find_hazards(log):
            left = named_pairs(apply_fix(log, hazard.fix))
            shown = frozenset((log.ops[seq].name, log.ops[seq].step) for seq in hazard.ops)
            assert left <= named_pairs(log) - {shown}, f"seed {seed}"


@pytest.mark.parametrize("stepped", [False, True])
def test_applying_fixes_again_and_again_ends_without_hazards(stepped):
    for seed in PROGRAMS[::2]:
        log = random_program(Random(seed), stepped)
        for _ in range(len(found_pairs(log))):
            if hazards := find_hazards(log):
                log = apply_fix(log, hazards[0].fix)
        assert racing_pairs(log) == set(), f"seed {seed}"


def test_a_fixed_log_is_numbered_in_order_and_keeps_its_operations():
    log = pipeline(6, depth=3, slots=1, missing=REUSE_EDGES)
    for hazard in find_hazards(log):
        fixed = apply_fix(log, hazard.fix)
        assert [op.seq for op in fixed] == list(range(len(fixed)))
        assert all(op.target < op.seq for op in fixed)
        added = {OpKind.WAIT, OpKind.SYNC_OP}
        kept = sorted((op.name, op.step) for op in fixed if op.kind not in added)
        assert kept == sorted((op.name, op.step) for op in log if op.kind not in added)


def test_a_fix_moves_nothing_ahead_of_what_it_waits_for():
    builder = Builder()
    ids = builder.buffer("host outputs", "ids")
    for step, waits in ((1, False), (2, True)):
        copy = builder.add(OpKind.D2H, D2H, writes=[ids], step=step, name="d2h")
        if waits:
            builder.add(OpKind.SYNC_OP, step=step, target=copy, name="sync")
        builder.add(OpKind.HOST_READ, reads=[ids], step=step - 1, name="read")
    (hazard,) = find_hazards(builder.log)
    fixed = apply_fix(builder.log, hazard.fix)
    assert [op.name for op in fixed] == ["read", "d2h", "d2h", "sync", "read"]


@pytest.mark.parametrize("toggle", list(LOOP_FAULTS))
@pytest.mark.parametrize(("depth", "slots"), [(2, 1), (3, 2), (4, 1)])
def test_one_edge_by_name_and_distance_mends_each_fault_of_the_loop(toggle, depth, slots):
    log = pipeline(10, depth, slots, [toggle])
    (hazard,) = find_hazards(log)
    assert len(hazard.fix.edges) == 1
    assert hazard.fix.steps_back == (0 if toggle in WAITS else slots)
    assert find_hazards(apply_fix(log, hazard.fix)) == []


@given(st.sets(st.sampled_from(sorted(LOOP_FAULTS))), st.integers(1, 4), st.integers(1, 4))
def test_faults_together_are_mended_one_after_the_other(missing, depth, slots):
    log = pipeline(6, depth, slots, missing)
    for _ in range(20):
        if hazards := find_hazards(log):
            log = apply_fix(log, hazards[0].fix)
    assert find_hazards(log) == []
    assert found_pairs(log) == set()


@pytest.mark.parametrize(
    ("first", "second", "steps", "slot", "text"),
    [
        (
            *(H2D_W, KERNEL_R, (3, 3), 0),
            "compute.wait(batch.h2d_done)  # before the first kernel that reads it",
        ),
        (
            *(KERNEL_R, H2D_W, (3, 5), 0),
            "h2d.wait(previous_in_slot.compute_done)  # before the copy that overwrites it",
        ),
        (
            *(KERNEL_R, H2D_W, (3, 5), -1),
            "h2d.wait(previous_user.compute_done)  # before the copy that overwrites it",
        ),
        (
            *(H2D_R, HOST_W, (3, 5), 0),
            "previous_in_slot.h2d_done.synchronize()  # before the host rewrites its source",
        ),
        (
            *(D2H_W, HOST_R, (3, 3), 0),
            "batch.d2h_done.synchronize()  # before the host reads it",
        ),
    ],
)
def test_a_fix_reads_like_the_line_missing_in_the_loop(first, second, steps, slot, text):
    (hazard,) = find_hazards(two_accesses(first, second, steps, slot))
    assert hazard.fix.text == text


HIDDEN = ({"item_sync": "on"}, {"print_tensor": "on"}, {"accept_length": "item"})
"""What copies results to the host a second time, on another stream, under the same name."""

UNORDERED = (
    {"sync_d2h": "off"}, {"wait_compute": "off"}, {"record_point": "early"},
    {"reuse_device_output": "off", "depth": 3, "host_slots": 3},
    {"reuse_host_output": "off", "depth": 3, "device_slots": 3, "host_slots": 1},
)  # fmt: skip


@pytest.mark.parametrize("hidden", HIDDEN, ids=str)
@pytest.mark.parametrize("unordered", UNORDERED, ids=str)
@pytest.mark.parametrize("streams", ["three", "two-d2h"])
def test_a_fix_orders_the_copy_that_races_though_another_has_its_name(hidden, unordered, streams):
    config = configure(
        "async", set={**unordered, **hidden, "streams": streams}, workload="drafts", steps=8,
        compute=False,
    )  # fmt: skip
    result = execute(config)
    for hazard in result.hazards:
        by_run = execute(config, repairs=hazard.fix.edges).hazards
        by_log = find_hazards(apply_fix(result.device.log, hazard.fix))
        for left in (by_run, by_log):
            assert (hazard.kind, hazard.resource, hazard.missing_edge) not in {
                (other.kind, other.resource, other.missing_edge) for other in left
            }
    assert result.hazards or streams == "two-d2h"
