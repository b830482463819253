"""Races on memory that was freed in between, against every interleaving of small programs."""

from random import Random

from engine import configure, execute
from engine.checker.freed import with_freed_memory
from engine.checker.hazards import apply_fix, find_hazards
from engine.checker.races import find_races
from engine.oplog import HOST, Op, OpKind
from tests.engine.interleavings import conflict, racing_pairs, random_program
from tests.engine.pipelines import COMPUTE, D2H, Builder, verdict


def with_frees(log, rng):
    """The program with one or two frees of its buffers put in; targets keep their meaning."""
    for _ in range(rng.randint(1, 2)):
        place = rng.randint(0, len(log))
        for op in log:
            op.seq += op.seq >= place
            op.target += op.target >= place
        free = Op(place, OpKind.FREE, f"free {place}", HOST)
        free.memory = rng.randrange(len(log.buffers))
        log.ops.insert(place, free)
    return log


def freed_between(log, a, b):
    """Whether a buffer on which a and b conflict is freed between the two."""
    for op in log.ops[a + 1 : b]:
        if op.kind is OpKind.FREE:
            first, second = (
                Op(0, OpKind.KERNEL, "", 0, reads=_of(log.ops[x].reads, op.memory),
                   writes=_of(log.ops[x].writes, op.memory))
                for x in (a, b)
            )  # fmt: skip
            if conflict(first, second):
                return True
    return False


def _of(accesses, buffer):
    return tuple(access for access in accesses if access.buffer == buffer)


def test_use_after_free_is_every_race_with_a_free_in_between():
    found = 0
    for seed in range(1000):
        rng = Random(seed)
        log = with_frees(random_program(rng), rng)
        uses = {
            tuple(sorted((race.first.seq, race.second.seq)))
            for race in with_freed_memory(log, find_races(log, every=True))
            if race.kind == "UAF"
        }
        expected = {pair for pair in racing_pairs(log) if freed_between(log, *pair)}
        assert uses == expected, f"seed {seed}"
        found += len(uses)
    assert found > 300


def temporary(waits):
    """A copy reads a temporary; it is freed, and a kernel of its stream writes it anew."""
    builder = Builder()
    memory = builder.buffer("temporaries", "sampled")
    copy = builder.add(OpKind.D2H, D2H, reads=[memory], step=0, name="d2h")
    builder.add(OpKind.FREE, step=0, name="free")
    builder.log.ops[-1].memory = memory
    if waits:
        builder.add(OpKind.WAIT, COMPUTE, target=copy, step=1)
    builder.add(OpKind.KERNEL, COMPUTE, writes=[memory], step=1, name="sample")
    return builder.log


def test_a_temporary_freed_under_a_copys_feet_is_a_use_after_free():
    (hazard,) = find_hazards(temporary(waits=False))
    assert (hazard.kind, hazard.resource) == ("UAF", "temporaries")
    assert hazard.fix.text == "temporary.record_stream(d2h)  # before it is freed"
    assert find_hazards(temporary(waits=True)) == []


def test_an_edge_removes_a_use_after_free_from_the_log():
    log = temporary(waits=False)
    (hazard,) = find_hazards(log)
    fixed = apply_fix(log, hazard.fix)
    assert verdict(fixed) == set()
    assert [op.memory for op in fixed if op.kind is OpKind.FREE] == [0]


def test_temporaries_are_reused_and_no_slower():
    result = execute(configure("temporary-outputs", compute=False))
    plain = execute(configure("async", compute=False))
    memory = {op.memory for op in result.device.log if op.kind is OpKind.ALLOC}
    assert len(memory) == result.config.mechanisms.depth + 1
    steps = [op.step for op in result.device.log if op.kind is OpKind.FREE and op.step >= 0]
    assert steps == list(range(result.steps))
    warm_up_ns = len(memory) * result.config.cost.alloc_ns
    assert abs(result.wall_ns - warm_up_ns - plain.wall_ns) < plain.wall_ns / 100


def test_without_record_stream_one_piece_of_memory_serves_every_step():
    log = execute(configure("no-record-stream", compute=False)).device.log
    used = {op.memory for op in log if op.kind is OpKind.ALLOC and op.step >= 0}
    assert len(used) == 1


def test_record_stream_holds_at_any_depth_and_cost():
    for depth in (1, 2, 3, 4):
        for cost in ("cpu-bound", "slow-copies", "small-gpu"):
            toggles = {"output_memory": "temporary", "depth": depth}
            toggles |= {"device_slots": depth, "host_slots": depth}
            config = configure("async", set=toggles, cost=cost, workload="chat", compute=False)
            assert not execute(config).hazards, (depth, cost)
