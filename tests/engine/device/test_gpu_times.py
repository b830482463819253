"""A GPU's events become times on the host's clock: exact up to the anchors' stated error."""

import struct
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.device import gpu_times
from engine.device.gpu_times import Anchor, GpuTimes, anchor
from engine.oplog import NONE, Op, OpKind


@dataclass(eq=False)
class Mark:
    """An event at a time of the GPU's own clock (ns); differences are 32-bit floats of ms."""

    at_ns: int
    reached: bool = True

    def query(self):
        return self.reached

    def elapsed_time(self, later):
        return struct.unpack("f", struct.pack("f", (later.at_ns - self.at_ns) / 1e6))[0]


def op(seq, replay=NONE):
    return Op(seq, OpKind.KERNEL, "k", 1, 0, 0, (), (), NONE, NONE, 0, (), 0, 0, replay=replay)


@given(
    st.lists(st.tuples(st.integers(0, 400_000_000), st.integers(0, 50_000_000)), max_size=60),
    st.integers(-200, 200),
    st.integers(0, 10**9),
)
def test_every_time_is_found_again(spans, drift_ppm, origin_ns):
    now_ns, ops, expected = 5_000_000, [], []
    times = GpuTimes(Anchor(Mark(now_ns), 0, 0))

    def on_host(gpu_ns):
        return (gpu_ns - 5_000_000) * (1_000_000 + drift_ppm) // 1_000_000 - origin_ns

    for number, (idle_ns, busy_ns) in enumerate(spans):
        ops.append(op(number))
        times.add(ops[-1], Mark(now_ns + idle_ns), Mark(now_ns + idle_ns + busy_ns))
        expected.append((on_host(now_ns + idle_ns), on_host(now_ns + idle_ns + busy_ns)))
        now_ns += idle_ns + busy_ns
    now_ns += 1_000_000
    notes = times.settle(Anchor(Mark(now_ns), on_host(now_ns) + origin_ns, 700), origin_ns)
    for found, (start_ns, end_ns) in zip(ops, expected, strict=True):
        assert abs(found.start_ns - start_ns) < 2000 and abs(found.end_ns - end_ns) < 2000
        assert found.start_ns <= found.end_ns
    assert notes["anchor_error_ns"] == 700
    assert abs(notes["clock_drift_ppm"] - drift_ppm) < 1


def test_a_replays_time_is_parted_among_its_kernels():
    times = GpuTimes(Anchor(Mark(0), 0, 0))
    ops = [op(number, replay=0) for number in range(4)]
    for one in ops:
        times.add(one, Mark(1000), Mark(5000))
    times.settle(Anchor(Mark(10_000), 10_000, 0), 0)
    assert [(one.start_ns, one.end_ns) for one in ops] == [
        (1000, 2000), (2000, 3000), (3000, 4000), (4000, 5000)
    ]  # fmt: skip


def test_events_are_read_early_only_where_there_are_many(monkeypatch):
    monkeypatch.setattr(gpu_times, "MOST_EVENTS", 3)
    times = GpuTimes(Anchor(Mark(0), 0, 0))
    marks = [Mark(1000 * number, reached=number < 2) for number in range(4)]
    read = []
    monkeypatch.setattr(Mark, "elapsed_time", lambda _, later: read.append(later) or 0.0)
    for number, mark in enumerate(marks):
        assert not read
        times.add(op(number), mark, mark)
    assert set(read) == set(marks[:2])


@pytest.mark.parametrize("brackets", [[10, 4, 8], [3], [9, 9, 1, 2]])
def test_the_tightest_bracket_is_the_anchor(brackets):
    clock, widths = [0], iter(brackets)

    def reach():
        clock[0] += next(widths)
        return Mark(clock[0])

    found = anchor(reach, lambda: clock[0], len(brackets))
    assert found.error_ns == (min(brackets) + 1) // 2
    assert abs(found.host_ns - found.mark.at_ns) <= found.error_ns
