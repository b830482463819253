"""Kernels and copies of different streams share the virtual device's units and bandwidth."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.device.simulator import Simulator, Task
from tests.engine.device.bench import finished, idle, kernel, on_device, on_host, times, virtual


def two_kernels(**changes):
    device = virtual(**changes)
    for name in ("a", "b"):
        device.stream(name).launch(kernel())
    return times(finished(device))


def test_two_full_size_kernels_take_as_long_as_one_after_the_other():
    assert two_kernels(occupancy=1000) == [(0, 200), (0, 200)]


def test_two_half_size_kernels_run_together_at_full_speed():
    assert two_kernels(occupancy=500) == [(0, 100), (0, 100)]


def test_kernels_that_ask_for_a_little_too_much_slow_down_in_proportion():
    assert two_kernels(occupancy=600) == [(0, 120), (0, 120)]


def test_kernels_share_bandwidth_in_proportion():
    assert two_kernels(occupancy=100, kernel_bandwidth=800) == [(0, 160), (0, 160)]


def test_a_kernel_speeds_up_when_the_other_is_done():
    device = virtual()
    first, second = device.stream("a"), device.stream("b")
    first.launch(kernel())
    second.launch(kernel(family="carry"))
    # Ten units each at half speed take until 20; the rest runs alone.
    assert times(finished(device)) == [(0, 110), (0, 20)]


def test_a_kernel_that_joins_later_slows_the_other_from_then_on():
    device = virtual()
    first, second = device.stream("a"), device.stream("b")
    first.launch(kernel())
    idle(device, 50)
    second.launch(kernel())
    assert times(finished(device)) == [(0, 150), (50, 200)]


def test_a_copy_takes_bandwidth_from_a_kernel():
    device = virtual(kernel_bandwidth=1000, copy_bandwidth=250, h2d_ns=40)
    up, compute = device.stream("up"), device.stream("compute")
    compute.launch(kernel())
    up.copy(on_device(device), on_host(device), 4)
    # Both at 4/5 of their speed while the copy runs: 50 ns, in which the kernel does 40.
    assert times(finished(device)) == [(0, 110), (0, 50)]


def test_a_copy_that_fits_beside_a_kernel_slows_nothing():
    device = virtual(kernel_bandwidth=900, copy_bandwidth=100)
    up, compute = device.stream("up"), device.stream("compute")
    compute.launch(kernel())
    up.copy(on_device(device), on_host(device), 4)
    assert times(finished(device)) == [(0, 100), (0, 40)]


def test_kernels_slowed_by_occupancy_ask_for_less_bandwidth():
    device = virtual(kernel_bandwidth=900, copy_bandwidth=100)
    device.stream("a").launch(kernel())
    device.stream("b").launch(kernel())
    device.stream("up").copy(on_device(device), on_host(device), 4)
    assert times(finished(device)) == [(0, 200), (0, 200), (0, 40)]


def test_a_stream_of_higher_priority_is_served_first():
    device = virtual()
    low, high = device.stream("low"), device.stream("high", priority=-1)
    low.launch(kernel())
    idle(device, 50)
    high.launch(kernel())
    assert times(finished(device)) == [(0, 200), (50, 150)]


def test_a_lower_priority_gets_what_the_higher_leaves():
    device = virtual(occupancy=600)
    device.stream("low").launch(kernel())
    device.stream("high", priority=-1).launch(kernel())
    # 400 of the 600 that the low one asks for: two thirds of its speed for 100 ns.
    assert times(finished(device)) == [(0, 134), (0, 100)]


def test_priorities_do_not_starve_copies():
    device = virtual(kernel_bandwidth=1000, copy_bandwidth=250)
    device.stream("high", priority=-1).launch(kernel())
    device.stream("up").copy(on_device(device), on_host(device), 4)
    assert times(finished(device)) == [(0, 110), (0, 50)]


@st.composite
def jobs(draw):
    """(stream, work_ns, occupancy, bandwidth, priority of the stream, chunk marks)."""
    work_ns = draw(st.integers(1, 500))
    pieces = draw(st.integers(1, 4))
    marks = tuple(work_ns - work_ns * (i + 1) // pieces for i in range(pieces))
    size, stream = st.sampled_from([0, 300, 500, 1000]), draw(st.integers(0, 2))
    return Task(
        0, stream, work_ns, SimpleNamespace(),
        occupancy=draw(size), bandwidth=draw(size), marks=marks,
    )  # fmt: skip


@given(st.lists(st.tuples(jobs(), st.integers(0, 100)), min_size=1, max_size=8), st.booleans())
def test_the_device_never_does_more_work_than_it_has_units_and_time(batch, with_priorities):
    simulator = Simulator()
    for _ in range(3):
        simulator.add_stream()
    issue_ns = 0
    for seq, (task, pause_ns) in enumerate(batch):
        issue_ns += pause_ns
        task.seq, task.priority = seq, task.stream * with_priorities
        simulator.enqueue(task, issue_ns)
    done = [task for task, _ in batch]
    for task in done:
        assert simulator.run_until(task)
        assert task.times.end_ns - task.times.start_ns >= task.work_ns
    wall_ns = max(task.times.end_ns for task in done) - min(task.times.start_ns for task in done)
    for demand in ("occupancy", "bandwidth"):
        # Each change of speed may round a nanosecond of work up, for every task running.
        rounding = 1000 * 2 * len(batch) * 4
        assert sum(t.work_ns * getattr(t, demand) for t in done) <= 1000 * wall_ns + rounding


@given(st.lists(st.tuples(jobs(), st.integers(0, 100)), min_size=1, max_size=8))
def test_moving_in_chunks_does_not_change_when_work_ends(batch):
    def ends(whole):
        simulator = Simulator()
        for _ in range(3):
            simulator.add_stream()
        issue_ns, tasks = 0, []
        for seq, (job, pause_ns) in enumerate(batch):
            issue_ns += pause_ns
            marks = (0,) if whole else job.marks
            task = Task(
                seq, job.stream, job.work_ns, SimpleNamespace(),
                occupancy=job.occupancy, bandwidth=job.bandwidth, marks=marks,
            )  # fmt: skip
            simulator.enqueue(task, issue_ns)
            tasks.append(task)
        for task in tasks:
            simulator.run_until(task)
        return [(task.times.start_ns, task.times.end_ns) for task in tasks]

    assert ends(whole=True) == ends(whole=False)


def test_a_task_that_waits_for_itself_is_told_of():
    simulator = Simulator()
    simulator.add_stream()
    task = Task(0, 0, 10, SimpleNamespace())
    simulator.tails[0] = (task,)
    simulator.enqueue(task, 0)
    with pytest.raises(RuntimeError, match="never happens"):
        simulator.run_until(task)
