"""The loop, line by line: what is issued in which order, and what each toggle takes out.

Timing-only runs: the order of the host's calls does not depend on what is computed.
"""

import pytest

from engine import configure, execute
from engine.oplog import HOST, NONE, OpKind

KERNELS = ["carry", "embed", "layer 0", "layer 1", "layer 2", "head", "sample"]
COPIES = ["h2d tokens", "h2d places", "h2d sampling", "h2d block_table"]
STEP_ZERO = [
    "write inputs", *COPIES, "record h2d_done",
    "compute waits h2d_done", *KERNELS, "record compute_done",
    "D2H waits compute_done", "d2h out", "record d2h_done",
]  # fmt: skip
FINISH = ["wait d2h_done", "read outputs"]
REUSE = {
    "reuse_host_input": "wait h2d_done",
    "reuse_device_input": "H2D waits compute_done",
    "reuse_device_output": "compute waits d2h_done",
}


def run(steps=6, cost=None, workload=None, requests=None, **toggles):
    return execute(
        configure(
            "async",
            set=toggles,
            compute=False,
            steps=steps,
            cost=cost,
            workload=workload,
            requests=requests,
        )  # fmt: skip
    )


def told(op, names):
    """An operation in words."""
    match op.kind:
        case OpKind.RECORD:
            return f"record {op.name}"
        case OpKind.WAIT:
            return f"{names[op.stream]} waits {op.name}"
        case _:
            return op.name


def story(result, step=None):
    """What the host called, in order, of one step or of all."""
    log = result.device.log
    names = {stream.index: stream.name for stream in log.streams}
    return [told(op, names) for op in log if step is None or op.step == step]


def awaited_steps(result, step, words):
    """The steps of the records that a step's waits of this sort stand for."""
    log = result.device.log
    names = {stream.index: stream.name for stream in log.streams}
    ops = [op for op in log if op.step == step and told(op, names) == words]
    return [log.ops[op.target].step if op.target != NONE else NONE for op in ops]


# --------------------------------------------------------------- the two loops


def test_a_synchronous_step_is_write_copy_compute_copy_back_and_read():
    assert story(run(steps=1, depth="1")) == STEP_ZERO + FINISH


def test_a_later_step_waits_for_the_last_use_of_its_slot_first():
    expected = [
        "wait h2d_done", "write inputs", "H2D waits compute_done", *COPIES, "record h2d_done",
        "compute waits h2d_done", "compute waits d2h_done", *KERNELS, "record compute_done",
        "D2H waits compute_done", "d2h out", "record d2h_done", *FINISH,
    ]  # fmt: skip
    result = run()
    assert story(result, step=4) == expected
    for words in REUSE.values():
        assert awaited_steps(result, 4, words) == [2]


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_batch_n_is_finished_when_depth_batches_are_launched(depth):
    size = str(depth)
    result = run(steps=9, depth=size, device_slots=size, host_slots=size)
    ops = [op for op in result.device.log if op.name in ("d2h out", "read outputs")]
    in_flight, order = [], []
    for op in ops:
        if op.stream == HOST:
            in_flight.remove(op.step)
            order.append(op.step)
        else:
            in_flight.append(op.step)
            assert len(in_flight) <= depth
            assert len(in_flight) == depth or op.step < depth - 1
    assert (in_flight, order) == ([], list(range(9)))


def test_without_backpressure_everything_is_launched_at_once():
    result = run(backpressure="off", device_slots="8", host_slots="8")
    launched = [told for told in story(result) if told in ("d2h out", "read outputs")]
    assert launched == ["d2h out"] * 6 + ["read outputs"] * 6


def test_slots_are_taken_in_turn():
    result = run(device_slots="3", host_slots="2", depth="2")
    slots = {op.step: op.slot for op in result.device.log if op.kind is OpKind.KERNEL}
    assert slots == {step: step % 3 for step in range(6)}


def test_through_the_host_nothing_stays_in_flight():
    for toggle in ({"carry": "host"}, {"sampling": "host"}):
        result = run(**toggle)
        calls = [told for told in story(result) if told in ("write inputs", "read outputs")]
        assert calls == ["write inputs", "read outputs"] * 6
        causes = {span.cause for span in result.device.spans if span.name == "wait d2h_done"}
        assert causes == {"tokens pass through the host"}


def test_what_is_in_flight_at_the_end_is_committed_unless_drain_is_off():
    whole, lost = (
        execute(
            configure(
                "async", set={"drain": drain}, compute=False, workload="churn", requests=3
            )  # fmt: skip
        )
        for drain in ("on", "off")
    )
    assert all(len(r.tokens) == r.max_new_tokens for r in whole.requests)
    missing = [r.max_new_tokens - len(r.tokens) for r in lost.requests]
    assert sorted(missing) == [0, 0, 1]
    assert any("was never finished" in sentence for sentence in lost.invariants)


# --------------------------------------------------------- a toggle is a line


@pytest.mark.parametrize(
    ("toggle", "line"),
    [
        ({"wait_h2d": "off"}, "compute waits h2d_done"),
        ({"wait_compute": "off"}, "D2H waits compute_done"),
        ({"sync_d2h": "off"}, "wait d2h_done"),
        *(({name: "off"}, line) for name, line in REUSE.items()),
    ],
)
def test_switching_an_order_off_takes_out_its_line_and_no_other(toggle, line):
    whole, without = story(run()), story(run(**toggle))
    assert line in whole
    assert without == [told for told in whole if told != line]


def test_an_early_record_stands_before_the_last_kernel():
    told = story(run(record_point="early"), step=0)
    assert told[-7:-4] == ["record compute_done", "sample", "D2H waits compute_done"]


def test_a_wait_before_the_record_waits_for_nothing():
    result = run(wait_order="before-record")
    told = story(result, step=4)
    assert told.index("compute waits h2d_done") < told.index("h2d tokens")
    assert awaited_steps(result, 4, "compute waits h2d_done") == [NONE]


def test_a_partial_fence_is_recorded_before_the_last_copy():
    told = story(run(fence="partial"), step=0)
    assert told.index("record h2d_done") == told.index("h2d block_table") - 1


def test_a_device_synchronise_stands_in_for_the_event():
    result = run(sync_d2h="device")
    kinds = [op.kind for op in result.device.log if op.step == 4][-2:]
    assert kinds == [OpKind.SYNC_DEVICE, OpKind.HOST_READ]


@pytest.mark.parametrize(
    ("toggle", "name", "kind"),
    [
        ("item_sync", ".item()", OpKind.SYNC_STREAM),
        ("print_tensor", "print(tensor)", OpKind.SYNC_STREAM),
        ("device_sync_each_step", "device synchronize each step", OpKind.SYNC_DEVICE),
        ("first_touch_alloc", "cold allocation", OpKind.SYNC_DEVICE),
    ],
)
def test_a_hidden_synchronisation_blocks_the_host_every_step(toggle, name, kind):
    result = run(**{toggle: "on"})
    assert [op.step for op in result.device.log if op.name == name] == list(range(6))
    assert {op.kind for op in result.device.log if op.name == name} == {kind}
    blocked = [s for s in result.device.spans if s.name == name and s.waits_for]
    assert any(span.end_ns > span.start_ns for span in blocked)
    assert not any(op.name == name for op in run().device.log)


def test_item_moves_one_row_and_printing_moves_all():
    def copied_back(stream, **toggle):
        log = run(**toggle).device.log
        names = {info.index: info.name for info in log.streams}
        return [
            op.nbytes for op in log if op.kind is OpKind.D2H and names[op.stream] == stream
        ]  # fmt: skip

    results = copied_back("D2H")
    assert copied_back("compute") == []
    assert copied_back("compute", print_tensor="on") == results
    assert copied_back("compute", item_sync="on") == [8] * len(results)


def test_blocking_launches_wait_for_each_kernel():
    log = run(blocking_launch="on").device.log
    kernels = [op for op in log if op.kind is OpKind.KERNEL]
    for kernel in kernels:
        following = log.ops[kernel.seq + 1]
        assert (following.kind, following.target) == (OpKind.SYNC_OP, kernel.seq)
        assert following.issue_ns == kernel.end_ns


@pytest.mark.parametrize(
    ("streams", "lanes"),
    [
        ("three", ("H2D", "compute", "D2H")),
        ("two-copies", ("copies", "compute", "copies")),
        ("two-h2d", ("compute", "compute", "D2H")),
        ("two-d2h", ("H2D", "compute", "compute")),
        ("one", ("compute",) * 3),
        ("default", ("default",) * 3),
        ("d2h-default", ("H2D", "compute", "default")),
    ],
)
def test_each_layout_puts_the_work_on_its_streams(streams, lanes):
    log = run(streams=streams).device.log
    names = {stream.index: stream.name for stream in log.streams}
    for kind, lane in zip((OpKind.H2D, OpKind.KERNEL, OpKind.D2H), lanes, strict=True):
        assert {names[op.stream] for op in log if op.kind is kind} == {lane}


def test_the_host_finishes_a_slots_owner_before_it_queues_the_copy_into_it():
    result = run(host_slots="1", depth="3", device_slots="3")
    calls = [
        (op.name, op.step) for op in result.device.log if op.name in ("d2h out", "read outputs")
    ]
    expected = [("d2h out", 0)]
    for step in range(1, 6):
        expected += [("read outputs", step - 1), ("d2h out", step)]
    assert calls == [*expected, ("read outputs", 5)]


def test_what_is_issued_after_finishing_another_batch_belongs_to_its_own_step():
    result = run(host_slots="1", depth="3", device_slots="3")
    told = story(result, step=4)
    assert told[-5:] == ["D2H waits compute_done", "d2h out", "record d2h_done", *FINISH]


def test_a_run_stops_after_its_steps_or_with_its_work():
    assert run(steps=5).steps == 5
    short = execute(configure("async", compute=False, workload="churn", requests=2))
    assert max(r.max_new_tokens for r in short.requests) <= short.steps < 80
