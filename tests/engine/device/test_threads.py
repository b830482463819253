"""The device of threads: pace, failures, and that nothing goes on behind it.

No test here looks at a clock from above: a machine under load may take any time for anything.
"""

import sys
import threading
from contextlib import closing

import pytest

from engine.device.api import Kernel
from engine.device.cost import MS, CostModel, Jitter
from engine.device.settings import Settings
from engine.device.threads import ThreadsDevice
from engine.device.wall_clock import FINEST_NS, SWITCH_S, QuickSwitching
from engine.device.worker import DeviceError
from engine.oplog import OpKind
from tests.engine.device.bench import adds, device_ops, fill, on_device, on_host, peek

HOUR_NS = 3_600_000 * MS


def threads(cost=None, **settings):
    """A device whose work takes what it takes, unless the cost model says more."""
    return ThreadsDevice(Settings(cost or CostModel(), **settings))


def stream_threads():
    return [thread for thread in threading.enumerate() if thread.name.startswith("stream ")]


def raising(message="too far"):
    def body():
        raise IndexError(message)

    return Kernel("broken", "layer", (), (), body)


# -------------------------------------------------------------------- failures


@pytest.mark.parametrize("wait", ["event", "stream", "device", "finish", "launch", "query"])
def test_an_exception_in_a_worker_reaches_the_host_as_one_sentence(wait):
    with closing(threads()) as device:
        stream, event = device.stream("compute"), device.event("done")
        device.context.step = 3
        stream.launch(raising("too\n  far"))
        stream.record(event)
        actions = {
            "event": event.synchronize,
            "stream": stream.synchronize,
            "device": device.synchronize,
            "finish": device.finish,
            "launch": lambda: launches_until_told(stream),
            "query": lambda: asks_until_told(event),
        }
        with pytest.raises(DeviceError) as told:
            actions[wait]()
    assert str(told.value) == (
        "'broken' of batch 3 failed on stream 'compute': IndexError: too far"
    )
    assert stream_threads() == []


def launches_until_told(stream):
    while True:
        stream.launch(Kernel("more", "layer", (), (), None))


def asks_until_told(event):
    while True:
        event.query()


def test_work_behind_a_failure_is_called_off():
    with closing(threads()) as device:
        memory, a, b = on_device(device), device.stream("a"), device.stream("b")
        failed = device.event("failed")
        a.launch(raising())
        a.record(failed)
        b.wait(failed)
        with pytest.raises(DeviceError):
            b.launch(adds(1, memory))
            device.synchronize()
        assert memory.tensor.tolist() == [0] * 4


def test_the_first_failure_is_the_one_that_is_told():
    with closing(threads()) as device:
        stream = device.stream("a")
        stream.launch(raising("first"))
        with pytest.raises(DeviceError, match="first"):
            stream.launch(raising("second"))
            stream.synchronize()
        with pytest.raises(DeviceError, match="first"):
            stream.synchronize()


# ------------------------------------------------------------------- an end to it


def test_closing_ends_what_would_take_an_hour():
    device = threads(CostModel(kernel_ns={"layer": HOUR_NS}, h2d_ns=HOUR_NS))
    with closing(device):
        memory, host = on_device(device), on_host(device)
        for name in "ab":
            stream = device.stream(name)
            stream.launch(adds(1, memory))
            stream.copy(memory, host, 4)
        assert len(stream_threads()) == 3  # with the default stream's
    assert stream_threads() == []


def test_a_device_may_be_closed_twice():
    device = threads()
    device.close()
    device.close()
    assert stream_threads() == []


def test_threads_take_quick_turns_as_long_as_anyone_needs_them():
    before = sys.getswitchinterval()
    turns = QuickSwitching()
    turns.hold()
    turns.hold()
    turns.let_go()
    assert sys.getswitchinterval() == pytest.approx(SWITCH_S)
    turns.let_go()
    assert sys.getswitchinterval() == pytest.approx(before)


def test_a_closed_device_lets_go_of_quick_turns():
    before = sys.getswitchinterval()
    with closing(threads()):
        assert sys.getswitchinterval() == pytest.approx(SWITCH_S)
    assert sys.getswitchinterval() == pytest.approx(before)


# -------------------------------------------------------------------------- pace


def test_paced_work_takes_the_cost_models_time_at_least():
    cost = CostModel(
        host_ns={"schedule": 3 * MS}, kernel_ns={"layer": 4 * MS}, h2d_ns=2 * MS, d2h_ns=2 * MS
    )
    with closing(threads(cost)) as device:
        stream, memory, host = device.stream("a"), on_device(device), on_host(device)
        with device.host("schedule"):
            pass
        stream.copy(memory, host, 4)
        for _ in range(3):
            stream.launch(adds(1, memory, memory))
        stream.copy(host, memory, 4)
        stream.synchronize()
    assert device.spans[0].end_ns >= 3 * MS - FINEST_NS
    in_order = [3 + 2, 3 + 2 + 4, 3 + 2 + 8, 3 + 2 + 12, 3 + 2 + 14]
    for op, due_ms in zip(device_ops(device), in_order, strict=True):
        assert op.end_ns >= due_ms * MS - FINEST_NS
    assert host.tensor.tolist() == [3] * 4


def test_a_wait_in_a_host_span_comes_on_top_of_its_work():
    cost = CostModel(host_ns={"schedule": 3 * MS}, kernel_ns={"layer": 5 * MS})
    with closing(threads(cost)) as device:
        stream, done = device.stream("a"), device.event("done")
        with device.host("schedule"):
            stream.launch(adds(1, on_device(device)))
            stream.record(done)
            done.synchronize()
    outer, inner = device.spans
    assert inner.waits_for == "event"
    assert outer.end_ns >= 8 * MS - FINEST_NS


def test_jitter_varies_a_pace():
    modelled, seed = Jitter(50, 2), 2
    longer_ns = sum(modelled.apply(2 * MS) for _ in range(8))
    assert longer_ns > 18 * MS  # this seed makes them longer together
    with closing(
        threads(CostModel(host_ns={"schedule": 2 * MS}), jitter_percent=50, seed=seed)
    ) as device:
        for _ in range(8):
            with device.host("schedule"):
                pass
    assert device.spans[-1].end_ns >= longer_ns - FINEST_NS


# ------------------------------------------------------------------------- delays


def test_what_is_held_back_is_overtaken():
    with closing(threads(delays={"h2d x": HOUR_NS})) as device:
        source, target, result = on_host(device), on_device(device), on_host(device)
        fill(device, source, 7)
        a, b = device.stream("a"), device.stream("b")
        a.copy(target, source, 4)
        b.copy(result, target, 4)
        b.synchronize()
        assert peek(device, result) == [0] * 4


def test_what_is_held_back_comes_in_the_end():
    with closing(threads(delays={"h2d x": MS, "peek": MS})) as device:
        source, target = on_host(device), on_device(device)
        fill(device, source, 7)
        device.stream("a").copy(target, source, 4)
        device.synchronize()
        asked_ns = device.now_ns
        peek(device, source)
    assert target.tensor.tolist() == [7] * 4
    (copied,) = device_ops(device)
    assert copied.start_ns >= copied.issue_ns + MS - FINEST_NS
    assert device.log.ops[-1].call_ns >= asked_ns + MS - FINEST_NS


def test_a_copy_engine_takes_one_copy_at_a_time():
    cost = CostModel(h2d_ns=2 * MS, d2h_ns=2 * MS, copy_engines=1)
    with closing(threads(cost)) as device:
        for name in "abc":
            device.stream(name).copy(on_device(device), on_host(device), 4)
        device.stream("d").copy(on_host(device), on_device(device), 4)
        device.synchronize()
    copies = sorted((op.start_ns, op.end_ns) for op in device_ops(device))
    assert all(end <= start for (_, end), (start, _) in zip(copies, copies[1:], strict=False))


def test_an_operation_starts_after_it_was_issued():
    with closing(threads()) as device:
        stream = device.stream("a")
        for _ in range(20):
            stream.launch(adds(1, on_device(device)))
        device.synchronize()
    kernels = [op for op in device.log if op.kind is OpKind.KERNEL]
    assert all(op.call_ns <= op.issue_ns <= op.start_ns <= op.end_ns for op in kernels)
