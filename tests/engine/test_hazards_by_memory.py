"""The hazard checker by kind of memory: graphs, host buffers, the KV pool block by block.

Sub-views have their law in `device/test_buffers.py`, freed memory in `test_freed.py`; here both
stand beside the others, as the device logs them.
"""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from engine import configure, execute
from engine.checker.hazards import find_hazards
from engine.checker.races import find_races
from engine.device.api import Graph, Kernel
from engine.oplog import OpKind, rows_mask
from tests.engine.device.bench import fill, finished, kernel, on_device, on_host, peek, virtual

BLOCKS = 12
blocks = st.sets(st.integers(0, BLOCKS - 1), min_size=1, max_size=5)


def found(device):
    """(kind, resource, missing edge) of every hazard of a device that has run dry."""
    hazards = find_hazards(finished(device).log)
    return {(hazard.kind, hazard.resource, hazard.missing_edge) for hazard in hazards}


def touches(name, pool, reads=(), writes=()):
    """A kernel of one batch that reads and writes so many blocks of a pool."""
    return Kernel(
        name, "layer", (pool.rows(rows_mask(reads)),), (pool.rows(rows_mask(writes)),), None
    )


# -------------------------------------------------------------------- graph replays


def replayed(ordered):
    """A graph whose second kernel reads what a copy on another stream writes."""
    device = virtual()
    h2d, compute = device.stream("h2d"), device.stream("compute")
    inputs, hidden = on_device(device), on_device(device, label="hidden")
    h2d.copy(inputs, on_host(device), 4)
    if ordered:
        copied = device.event("copied")
        h2d.record(copied)
        compute.wait(copied)
    compute.replay(
        Graph("step", (kernel("first", dst=hidden), kernel("second", hidden, src=inputs)))
    )
    return device


def test_a_kernel_inside_a_replay_races_like_one_launched_alone():
    (hazard,) = find_hazards(finished(replayed(ordered=False)).log)
    assert (hazard.kind, hazard.missing_edge) == ("RAW", "h2d_done -> compute")
    assert hazard.second == "second in the step on compute"
    assert found(replayed(ordered=True)) == set()


def test_a_second_replay_reaches_the_addresses_of_the_first():
    """One graph on two streams: its own intermediates are written by both at once."""
    device = virtual()
    graph = Graph("step", (kernel("layer 0", dst=on_device(device, label="hidden")),))
    for name in ("compute", "compute 2"):
        device.stream(name).replay(graph)
    assert found(device) == {("WAW", "device", "compute_done -> compute")}


# ---------------------------------------------------------------------- sub-views


@pytest.mark.parametrize(("start", "racing"), [(4, False), (3, True)])
def test_two_views_of_one_memory_race_where_they_share_a_row(start, racing):
    device = virtual()
    memory = on_device(device, 8)
    lower, upper = memory.part(0, 4), memory.part(start, 8)
    device.stream("h2d").copy(lower, on_host(device), 4)
    device.stream("compute").launch(Kernel("k", "layer", (upper.rows(0b1111),), (), None))
    assert found(device) == ({("RAW", "device", "h2d_done -> compute")} if racing else set())


# ------------------------------------------------------------------- host buffers


ON_HOST = {
    ("h2d", "the host reads"): set(),
    ("h2d", "the host writes"): {("WAR", "host", "h2d_done -> host write")},
    ("d2h", "the host reads"): {("RAW", "host", "d2h_done -> host read")},
    ("d2h", "the host writes"): {("WAW", "host", "d2h_done -> host write")},
}


def copy_then_host(copy, action, waits="", pinned=True, rows=4, first=0):
    """A copy from or to the first rows of a host buffer, and then the host's own access."""
    device = virtual()
    stream, memory, ours = device.stream(copy), on_device(device), on_host(device, 8, pinned)
    both = (memory, ours) if copy == "h2d" else (ours, memory)
    stream.copy(*both, 4)
    done = device.event(f"{copy}_done")
    stream.record(done)
    if waits == "event":
        done.synchronize()
    elif waits == "query" and not done.query():
        stream.synchronize()
    view = ours.part(first, first + rows)
    if action == "the host reads":
        device.read("read", view, rows)
    else:
        device.write("write", [(view, rows, [7] * rows)])
    return device


@pytest.mark.parametrize(("copy", "action"), ON_HOST)
def test_the_host_races_with_a_copy_in_flight_unless_both_only_read(copy, action):
    assert found(copy_then_host(copy, action)) == ON_HOST[copy, action]


@pytest.mark.parametrize("waits", ["event", "query"])
@pytest.mark.parametrize(("copy", "action"), ON_HOST)
def test_having_waited_or_asked_the_host_may_touch_its_buffer(copy, action, waits):
    assert found(copy_then_host(copy, action, waits)) == set()


@pytest.mark.parametrize(("copy", "action"), ON_HOST)
def test_other_rows_of_a_host_buffer_are_free(copy, action):
    assert found(copy_then_host(copy, action, first=4)) == set()
    reached = found(copy_then_host(copy, action, first=3, rows=1))
    assert reached == ON_HOST[copy, action]


@pytest.mark.parametrize(("copy", "action"), ON_HOST)
def test_a_pageable_copy_is_over_or_staged_when_the_host_goes_on(copy, action):
    assert found(copy_then_host(copy, action, pinned=False)) == set()


def test_a_copy_whose_source_is_rewritten_takes_the_new_values_along():
    """What the checker names is no theory: half of the old values are lost."""
    device = virtual()
    source, target = on_host(device), on_device(device)
    fill(device, source, 1)
    device.stream("h2d").copy(target, source, 4)
    fill(device, source, 2)
    assert found(device) == {("WAR", "host", "h2d_done -> host write")}
    assert 2 in target.tensor.tolist()
    assert peek(device, source) == [2] * 4


# ------------------------------------------------------------------- freed memory


@pytest.mark.parametrize(("told", "kinds"), [(False, {"UAF"}), (True, set())])
def test_memory_that_was_freed_and_used_anew_is_named_so(told, kinds):
    device = virtual()
    compute, d2h = device.stream("compute"), device.stream("d2h")
    ready = device.event("ready")
    for number in range(2):
        memory = device.allocate(64, compute, "sampled").as_type(torch.int64)
        compute.launch(kernel(f"sample {number}", dst=memory.part(0, 4)))
        compute.record(ready)
        d2h.wait(ready)
        d2h.copy(on_host(device), memory, 4)
        if told:
            device.record_stream(memory, d2h)
        device.free(memory)
    assert {kind for kind, _, _ in found(device)} == kinds


# ---------------------------------------------------------- the KV pool, block by block


@given(blocks, blocks, st.booleans(), st.booleans())
def test_two_batches_race_on_exactly_the_blocks_they_share(mine, yours, writes, ordered):
    """A batch writes its blocks; another, on a second stream, writes or reads its own."""
    device = virtual()
    pool = device.buffer("kv blocks", "layer 0", (BLOCKS, 2))
    first, second = device.stream("compute"), device.stream("compute 2")
    first.launch(touches("layer 0", pool, writes=mine))
    if ordered:
        done = device.event("done")
        first.record(done)
        second.wait(done)
    second.launch(touches("layer 0", pool, **{"writes" if writes else "reads": yours}))
    races = list(find_races(finished(device).log))
    shared = set() if ordered else mine & yours
    assert [race.mask for race in races] == ([rows_mask(shared)] if shared else [])
    assert {race.kind for race in races} <= {"WAW" if writes else "RAW"}


@given(blocks, blocks)
def test_batches_that_only_read_share_blocks_freely(mine, yours):
    device = virtual()
    pool = device.buffer("kv blocks", "layer 0", (BLOCKS, 2))
    for name, read in (("compute", mine), ("compute 2", yours)):
        device.stream(name).launch(touches("layer 0", pool, reads=read))
    assert found(device) == set()


@given(blocks, blocks, st.booleans())
def test_a_swap_in_races_with_a_reader_of_the_same_block(read, arriving, ordered):
    """The compute stream's order does not protect a block from the H2D stream."""
    device = virtual()
    pool = device.buffer("kv blocks", "layer 0", (BLOCKS, 2))
    swap = device.buffer("host swap", "layer 0", (BLOCKS, 2), on_host=True)
    compute, h2d = device.stream("compute"), device.stream("h2d")
    compute.launch(touches("layer 0", pool, reads=read))
    if ordered:
        done = device.event("compute_done")
        compute.record(done)
        h2d.wait(done)
    h2d.copy_rows(pool, sorted(arriving), swap, range(len(arriving)))
    racing = read & arriving and not ordered
    assert found(device) == ({("WAR", "kv blocks", "compute_done -> h2d")} if racing else set())


@given(blocks, blocks, st.booleans())
def test_a_swap_out_races_with_the_blocks_next_writer(leaving, written, ordered):
    device = virtual()
    pool = device.buffer("kv blocks", "layer 0", (BLOCKS, 2))
    swap = device.buffer("host swap", "layer 0", (BLOCKS, 2), on_host=True)
    compute, d2h = device.stream("compute"), device.stream("d2h")
    d2h.copy_rows(swap, range(len(leaving)), pool, sorted(leaving))
    if ordered:
        done = device.event("swap_done")
        d2h.record(done)
        done.synchronize()
    compute.launch(touches("layer 0", pool, writes=written))
    racing = leaving & written and not ordered
    assert found(device) == ({("WAR", "kv blocks", "d2h_done -> compute")} if racing else set())


def test_in_the_engine_a_race_is_on_the_blocks_that_a_swap_and_a_kernel_share():
    """Blocks go back at once: some of those that a copy fills or saves are in use."""
    log = execute(configure("kv-released-at-once", compute=False)).device.log
    kv = {buffer.index for buffer in log.buffers if buffer.resource == "kv blocks"}
    races = [race for race in find_races(log) if race.buffer in kv]
    swaps = {OpKind.H2D, OpKind.D2H}
    assert {race.kind for race in races} == {"WAR", "WAW"}
    part = 0
    for race in races:
        assert {race.first.kind, race.second.kind} & swaps
        first, second = blocks_of(race.first, race.buffer), blocks_of(race.second, race.buffer)
        assert 0 < race.mask == race.mask & first & second
        part += race.mask != first and race.mask != second
    assert part > 0


def blocks_of(op, buffer):
    """The blocks of a KV buffer that an operation touches, as a mask."""
    return rows_mask(
        row for access in (*op.reads, *op.writes) if access.buffer == buffer for row in access.rows
    )
