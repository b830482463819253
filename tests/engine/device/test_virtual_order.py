"""The virtual device's ordering on its clock: streams, events, the legacy default stream."""

import pytest

from engine.oplog import NONE, OpKind, StreamKind
from tests.engine.device.bench import (
    adds,
    device_ops,
    finished,
    idle,
    kernel,
    on_device,
    on_host,
    times,
    virtual,
)

BLOCKING, NON_BLOCKING = StreamKind.BLOCKING, StreamKind.NON_BLOCKING
SMALL = {"occupancy": 100}


def default_and(kind, **changes):
    device = virtual(**{**SMALL, **changes})
    return device, device.stream("default", StreamKind.DEFAULT), device.stream("other", kind)


# --------------------------------------------------------- the latest of the causes


def test_an_operation_starts_at_its_issue_when_nothing_is_before_it():
    device = virtual(launch_ns=7)
    idle(device, 50)
    device.stream("s").launch(kernel())
    assert times(finished(device)) == [(57, 157)]
    assert (device.log.ops[0].call_ns, device.log.ops[0].issue_ns) == (50, 57)


def test_an_operation_starts_when_the_one_before_it_in_its_stream_ends():
    device = virtual(launch_ns=7)
    stream = device.stream("s")
    stream.launch(kernel())
    stream.launch(kernel(family="carry"))
    assert times(finished(device)) == [(7, 107), (107, 117)]


def test_an_operation_starts_when_the_last_event_its_stream_waits_for_is_reached():
    device = virtual(**SMALL)
    streams = [device.stream(str(i)) for i in range(3)]
    events = [device.event(str(i)) for i in range(2)]
    streams[0].launch(kernel())
    streams[1].launch(kernel(family="carry"))
    for stream, event in zip(streams, events, strict=False):
        stream.record(event)
        streams[2].wait(event)
    streams[2].launch(kernel())
    assert times(finished(device))[-1] == (100, 200)


def test_events_cost_the_host_their_own_time():
    device = virtual(event_ns=3)
    stream, event = device.stream("s"), device.event("e")
    stream.record(event)
    stream.wait(event)
    assert device.now_ns == 6


# ------------------------------------------------------------------------ events


def test_a_wait_holds_back_all_later_work_of_its_stream_and_no_other():
    device = virtual(**SMALL)
    first, second, third = (device.stream(name) for name in "abc")
    event = device.event("e")
    first.launch(kernel())
    first.record(event)
    second.wait(event)
    for stream in (second, second, third):
        stream.launch(kernel(family="carry"))
    assert times(finished(device)) == [(0, 100), (100, 110), (110, 120), (0, 10)]


def test_a_wait_issued_before_a_new_record_sees_the_earlier_one():
    device = virtual(**SMALL)
    first, second = device.stream("a"), device.stream("b")
    event = device.event("e")
    first.launch(kernel(family="carry"))
    first.record(event)
    second.wait(event)
    first.launch(kernel())
    first.record(event)
    second.launch(kernel(family="carry"))
    second.wait(event)
    second.launch(kernel(family="carry"))
    assert times(finished(device)) == [(0, 10), (10, 110), (10, 20), (110, 120)]
    records = [op.seq for op in device.log if op.kind is OpKind.RECORD]
    assert [op.target for op in device.log if op.kind is OpKind.WAIT] == records


def test_any_number_of_streams_may_wait_for_one_record():
    device = virtual(**SMALL)
    first, second, third = (device.stream(name) for name in "abc")
    event = device.event("e")
    first.launch(kernel())
    first.record(event)
    for stream in (second, third):
        stream.wait(event)
        stream.launch(kernel(family="carry"))
    event.synchronize()
    assert device.now_ns == 100
    assert times(finished(device)) == [(0, 100), (100, 110), (100, 110)]


def test_a_wait_before_any_record_holds_nothing_back():
    device = virtual(**SMALL)
    first, second = device.stream("a"), device.stream("b")
    event = device.event("e")
    second.wait(event)
    first.launch(kernel())
    first.record(event)
    second.launch(kernel())
    assert times(finished(device)) == [(0, 100), (0, 100)]
    assert next(op.target for op in device.log if op.kind is OpKind.WAIT) == NONE


def test_the_host_wakes_when_the_event_is_reached_and_its_wait_is_a_span():
    device = virtual()
    stream, event = device.stream("s"), device.event("ready")
    stream.launch(kernel())
    stream.record(event)
    stream.launch(kernel())
    idle(device, 30)
    event.synchronize()
    assert device.now_ns == 100
    span = device.spans[-1]
    assert (span.name, span.start_ns, span.end_ns, span.waits_for) == (
        "wait ready", 30, 100, "event",
    )  # fmt: skip


def test_synchronising_with_what_is_done_takes_no_time():
    device = virtual()
    stream, event = device.stream("s"), device.event("e")
    stream.launch(kernel())
    stream.record(event)
    idle(device, 500)
    event.synchronize()
    stream.synchronize()
    device.synchronize()
    assert device.now_ns == 500


def test_a_stream_that_only_waits_is_busy_until_the_event():
    device = virtual()
    first, second = device.stream("a"), device.stream("b")
    event = device.event("e")
    first.launch(kernel())
    first.record(event)
    second.wait(event)
    second.synchronize()
    assert device.now_ns == 100


# ---------------------------------------------------- the legacy default stream


def test_a_blocking_stream_stalls_behind_the_default_stream():
    device, default, other = default_and(BLOCKING)
    default.launch(kernel())
    other.launch(kernel(family="carry"))
    default.launch(kernel(family="carry"))
    assert times(finished(device)) == [(0, 100), (100, 110), (110, 120)]
    assert [op.depends for op in device.log] == [(), ((0, "barrier"),), ((1, "barrier"),)]


def test_a_non_blocking_stream_races_with_the_default_stream():
    device, default, other = default_and(NON_BLOCKING)
    x, back = on_device(device), on_host(device)
    default.launch(adds(1, x))
    other.copy(back, x, 4)
    device.synchronize()
    assert times(device) == [(0, 100), (0, 20)]
    assert back.tensor.tolist() == [0, 0, 0, 0]


def test_the_host_is_not_blocked_by_the_default_streams_barrier():
    device, default, other = default_and(BLOCKING, launch_ns=1)
    default.launch(kernel())
    other.launch(kernel())
    assert device.now_ns == 2


def test_blocking_streams_do_not_order_each_other():
    device, _default, other = default_and(BLOCKING)
    another = device.stream("another", BLOCKING)
    other.launch(kernel())
    another.launch(kernel())
    assert times(finished(device)) == [(0, 100), (0, 100)]


def test_an_event_recorded_on_the_default_stream_stands_for_blocking_streams_too():
    device, default, blocking = default_and(BLOCKING)
    free = device.stream("free", NON_BLOCKING)
    event = device.event("e")
    blocking.launch(kernel())
    default.record(event)
    free.wait(event)
    free.launch(kernel(family="carry"))
    assert times(finished(device)) == [(0, 100), (100, 110)]


def test_an_event_recorded_on_a_blocking_stream_stands_for_the_default_stream_too():
    device, default, blocking = default_and(BLOCKING)
    event = device.event("e")
    default.launch(kernel())
    blocking.record(event)
    event.synchronize()
    assert device.now_ns == 100


@pytest.mark.parametrize("action", ["record", "wait"])
def test_a_record_or_wait_on_the_default_stream_separates_blocking_streams(action):
    device, default, before = default_and(BLOCKING)
    after = device.stream("after", BLOCKING)
    before.launch(kernel())
    getattr(default, action)(device.event("never recorded"))
    after.launch(kernel(family="carry"))
    assert times(finished(device)) == [(0, 100), (100, 110)]


def test_what_the_default_stream_waits_for_holds_blocking_streams_back():
    device, default, blocking = default_and(BLOCKING)
    free = device.stream("free", NON_BLOCKING)
    event = device.event("e")
    free.launch(kernel())
    free.record(event)
    default.wait(event)
    blocking.launch(kernel(family="carry"))
    assert times(finished(device)) == [(0, 100), (100, 110)]


# -------------------------------------------------------------------------- ties


def test_effects_come_before_starts_at_one_instant():
    device = virtual(kernel_ns={"layer": 20, "carry": 10}, **SMALL)
    writer, reader = device.stream("writer"), device.stream("reader")
    x, y = on_device(device), on_device(device)
    reader.launch(kernel("first", family="carry"))
    reader.launch(adds(1, y, x, family="carry", name="reads at 10"))
    writer.launch(adds(5, x, family="carry", name="writes at 10"))
    device.synchronize()
    assert y.tensor.tolist() == [6, 6, 6, 6]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_effects_of_one_instant_come_in_the_order_of_issue(order):
    device = virtual(**SMALL)
    streams = [device.stream("a"), device.stream("b")]
    x = on_device(device)
    for amount, number in enumerate(order):
        streams[number].launch(adds(amount, x))
    device.synchronize()
    assert times(device) == [(0, 100), (0, 100)]
    assert x.tensor.tolist() == [1, 1, 1, 1]


def test_work_without_length_happens_in_the_order_of_issue():
    device = virtual(kernel_ns={}, **SMALL)
    first, second = device.stream("a"), device.stream("b")
    x = on_device(device)
    for stream, amount in ((second, 1), (first, 2), (second, 3)):
        stream.launch(adds(amount, x, x))
    assert x.tensor.tolist() == [6, 6, 6, 6]
    assert [op.end_ns for op in device_ops(device)] == [0, 0, 0]


def test_the_same_seed_jitters_alike_and_another_seed_does_not():
    def spans(seed):
        device = virtual(seed=seed, jitter_percent=20)
        stream = device.stream("s")
        for _ in range(5):
            idle(device, 100)
            stream.launch(kernel())
        return times(finished(device))

    assert spans(1) == spans(1) != spans(2)
