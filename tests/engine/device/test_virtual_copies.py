"""The virtual device's copies and kernels: when their data is read, and when it arrives."""

import pytest

from engine.device.api import Graph
from engine.oplog import OpKind
from tests.engine.device.bench import (
    adds,
    device_ops,
    fill,
    finished,
    idle,
    kernel,
    on_device,
    on_host,
    peek,
    times,
    virtual,
)

# ---------------------------------------------------------------- integer time


@pytest.mark.parametrize("chunks", [1, 2, 3, 7, 64])
@pytest.mark.parametrize("work_ns", [1, 2, 13, 999_999_999_999])
def test_time_is_whole_nanoseconds_and_no_chunk_is_lost(chunks, work_ns):
    device = virtual(chunks=chunks, h2d_ns=work_ns, d2h_ns=work_ns, jitter_percent=7)
    stream = device.stream("s")
    source, target, back = on_host(device, 61), on_device(device, 61), on_host(device, 61)
    device.write("count", [(source, 61, list(range(61)))])
    stream.copy(target, source, 61)
    stream.copy(back, target, 61)
    stream.synchronize()
    assert peek(device, back) == list(range(61))
    stamps = [t for op in device.log for t in (op.call_ns, op.issue_ns, op.start_ns, op.end_ns)]
    stamps += [t for span in device.spans for t in (span.start_ns, span.end_ns)]
    assert {type(t) for t in [*stamps, device.now_ns]} == {int}


def test_the_parts_of_a_step_add_up_to_the_whole_to_the_nanosecond():
    device = virtual(h2d_ns=100, kernel_ns={"layer": 1000})
    stream = device.stream("s")
    source, target = on_host(device), on_device(device)
    for part in range(7):
        stream.copy(target, source, 4, (part, 7))
        stream.launch(kernel(share=(part, 7)))
    ops = device_ops(finished(device))
    assert sum(op.end_ns - op.start_ns for op in ops) == 1100


# ------------------------------------------------------- the host sees what is


@pytest.mark.parametrize(
    ("after_ns", "seen"),
    [(0, [0, 0, 0, 0]), (10, [7, 0, 0, 0]), (30, [7, 7, 7, 0]), (40, [7, 7, 7, 7])],
)
def test_a_copy_arrives_in_chunks_and_the_host_sees_it_half_done(after_ns, seen):
    device = virtual(d2h_ns=40)
    stream = device.stream("s")
    source, target = on_device(device), on_host(device)
    stream.launch(adds(7, source, family="carry"))
    stream.synchronize()
    stream.copy(target, source, 4)
    idle(device, after_ns)
    assert peek(device, target) == seen


def test_the_host_rewrites_only_what_a_copy_has_not_read_yet():
    device = virtual()
    stream = device.stream("s")
    source, target, back = on_host(device), on_device(device), on_host(device)
    fill(device, source, 1)
    stream.copy(target, source, 4)
    idle(device, 20)
    fill(device, source, 2)
    stream.copy(back, target, 4)
    stream.synchronize()
    assert peek(device, back) == [1, 1, 2, 2]


def test_a_half_overwritten_buffer_is_read_half_old_half_new():
    device = virtual(h2d_ns=40, d2h_ns=20)
    up, down = device.stream("up"), device.stream("down")
    source, target, back = on_host(device), on_device(device), on_host(device)
    fill(device, source, 1)
    up.copy(target, source, 4)
    idle(device, 10)
    down.copy(back, target, 4)
    device.synchronize()
    # Rows arrive at 10, 20, 30 and 40 ns and are read back at 15, 20, 25 and 30 ns.
    assert peek(device, back) == [1, 1, 0, 0]


# ---------------------------------------------------------------- copy engines


def test_each_direction_has_a_copy_engine_of_its_own():
    device = virtual()
    up, down = device.stream("up"), device.stream("down")
    up.copy(on_device(device), on_host(device), 4)
    down.copy(on_host(device), on_device(device), 4)
    assert times(finished(device)) == [(0, 40), (0, 20)]


def test_one_engine_takes_copies_of_one_direction_in_the_order_of_issue():
    device = virtual()
    first, second = device.stream("first"), device.stream("second")
    for stream in (first, second, first):
        stream.copy(on_device(device), on_host(device), 4)
    assert times(finished(device)) == [(0, 40), (40, 80), (80, 120)]


def test_with_one_copy_engine_both_directions_take_turns():
    device = virtual(copy_engines=1)
    up, down = device.stream("up"), device.stream("down")
    up.copy(on_device(device), on_host(device), 4)
    down.copy(on_host(device), on_device(device), 4)
    assert times(finished(device)) == [(0, 40), (40, 60)]


def test_a_copy_that_must_wait_leaves_its_engine_to_others():
    device = virtual()
    compute, first, second = (device.stream(name) for name in ("compute", "first", "second"))
    done = device.event("done")
    compute.launch(kernel())
    compute.record(done)
    first.wait(done)
    first.copy(on_device(device), on_host(device), 4)
    second.copy(on_device(device), on_host(device), 4)
    assert times(finished(device)) == [(0, 100), (100, 140), (0, 40)]


# ------------------------------------------------------------ pinned, pageable


def test_a_pinned_copy_costs_the_host_its_launch_alone():
    device = virtual(launch_ns=3)
    device.stream("s").copy(on_device(device), on_host(device), 4)
    assert device.now_ns == 3
    assert times(finished(device)) == [(3, 43)]


def test_a_pageable_h2d_keeps_the_host_for_the_staging_and_is_slower():
    device = virtual(launch_ns=3, pageable_factor=3)
    device.stream("s").copy(on_device(device), on_host(device, pinned=False), 4)
    assert device.now_ns == 3 + 120
    assert times(finished(device)) == [(123, 243)]
    (span,) = device.spans
    assert (span.start_ns, span.end_ns, span.waits_for) == (3, 123, "copy")


def test_a_pageable_d2h_keeps_the_host_to_its_end():
    device = virtual(pageable_factor=3)
    stream = device.stream("s")
    stream.launch(kernel())
    stream.copy(on_host(device, pinned=False), on_device(device), 4)
    assert device.now_ns == 160
    assert times(device) == [(0, 100), (100, 160)]
    assert device.log.ops[-1].kind is OpKind.SYNC_OP


# --------------------------------------------------------------------- kernels


def test_a_kernel_reads_when_it_starts():
    device = virtual(h2d_ns=40)
    compute, up = device.stream("compute"), device.stream("up")
    x, y, source = on_device(device), on_device(device), on_host(device)
    fill(device, source, 9)
    compute.launch(adds(1, y, x))
    up.copy(x, source, 4)
    device.synchronize()
    assert y.tensor.tolist() == [1, 1, 1, 1]


def test_a_kernel_writes_when_it_ends():
    device = virtual(d2h_ns=20)
    compute, down = device.stream("compute"), device.stream("down")
    x, early, late = on_device(device), on_host(device), on_host(device)
    compute.launch(adds(1, x))
    down.copy(early, x, 4)
    idle(device, 100)
    down.copy(late, x, 4)
    device.synchronize()
    assert (peek(device, early), peek(device, late)) == ([0] * 4, [1] * 4)


def test_a_table_rewritten_mid_forward_hurts_the_later_kernels_only():
    device = virtual(h2d_ns=40)
    compute, up = device.stream("compute"), device.stream("up")
    table, source = on_device(device), on_host(device)
    layers = [on_device(device) for _ in range(4)]
    fill(device, source, 5)
    for number, out in enumerate(layers):
        compute.launch(kernel(f"layer {number}", out, table, lambda x: x, share=(number, 4)))
    idle(device, 10)
    up.copy(table, source, 4)
    device.synchronize()
    # Layers start at 0, 25, 50 and 75 ns; rows arrive at 20, 30, 40 and 50 ns.
    assert [out.tensor.tolist() for out in layers] == [
        [0, 0, 0, 0], [5, 0, 0, 0], [5, 5, 5, 5], [5, 5, 5, 5],
    ]  # fmt: skip


def test_a_graph_costs_one_launch_however_many_kernels_it_has():
    device = virtual(launch_ns=7)
    one_by_one, replayed = device.stream("one by one"), device.stream("replayed")
    kernels = tuple(kernel(f"layer {i}", share=(i, 4)) for i in range(4))
    replayed.replay(Graph("step", kernels))
    assert device.now_ns == 7
    assert times(finished(device)) == [(7, 32), (32, 57), (57, 82), (82, 107)]
    began_ns = device.now_ns
    for launched in kernels:
        one_by_one.launch(launched)
    assert device.now_ns == began_ns + 4 * 7


def test_blocking_launches_return_when_their_kernel_is_done():
    device = virtual(launch_ns=7, blocking_launch=True)
    stream = device.stream("s")
    x, back = on_device(device), on_host(device)
    stream.launch(adds(1, x))
    assert device.now_ns == 107
    stream.copy(back, x, 4)
    assert device.now_ns == 114


def test_a_blocking_graph_blocks_once_at_its_end():
    device = virtual(blocking_launch=True)
    device.stream("s").replay(Graph("step", tuple(kernel(share=(i, 4)) for i in range(4))))
    kinds = [op.kind for op in device.log]
    assert kinds == [OpKind.KERNEL] * 4 + [OpKind.SYNC_OP]
    assert (device.log.ops[-1].target, device.now_ns) == (3, 100)


def test_a_timing_only_run_keeps_no_data():
    device = virtual(compute=False)
    buffer = on_host(device)
    fill(device, buffer, 3)
    assert peek(device, buffer) == [0, 0, 0, 0]
    with pytest.raises(RuntimeError, match="started with compute=False"):
        _ = buffer.tensor


def test_memory_is_booked_on_the_side_that_holds_it():
    device = virtual()
    on_host(device, rows=4)
    on_device(device, rows=2)
    memory = device.memory
    assert (memory.host_bytes, memory.device_bytes) == (32, 16)
    memory.add(-16, on_host=False)
    assert (memory.device_bytes, memory.peak_device_bytes) == (0, 16)


def test_rows_are_copied_from_anywhere_to_anywhere_at_the_price_of_their_number():
    device = virtual(kv_block_ns=30)
    stream = device.stream("H2D")
    source, target = on_host(device, 6), on_device(device, 6)
    device.write("fill", [(source, 6, [10, 11, 12, 13, 14, 15])])
    stream.copy_rows(target, [4, 0], source, [1, 5])
    device.synchronize()
    assert target.tensor.tolist() == [15, 0, 0, 0, 11, 0]
    (op,) = [op for op in device.log if op.kind is OpKind.H2D]
    assert (op.reads[0].rows, op.writes[0].rows, op.nbytes) == ([1, 5], [0, 4], 16)
    assert op.end_ns - op.start_ns == 60
