"""Whether overlap is what a run lacks, or its host is the bottleneck already."""

import pytest

from engine import run
from engine.device.costs import COSTS
from tests.traces.builders import Diagram
from tests.traces.test_findings import costliest, foreign
from traces import Trace, find_findings, what_if
from traces.host_bound import is_host_bound, runs_ahead

PLAN_NS, KERNEL_NS = 8_000_000, 3_000_000


def loop(waits: bool) -> Trace:
    """Ten steps: 8 ms of planning, then a kernel of 3 ms, for which the host waits or does not."""
    run = Diagram()
    at = 0
    for _ in range(10):
        run.host("plan", at, at + PLAN_NS)
        at += PLAN_NS
        call = run.host("cudaLaunchKernel", at, at + 10_000, "launch")
        at += 10_000
        run.gpu("compute", "kernel", at, at + KERNEL_NS, call)
        if waits:
            run.host("cudaEventSynchronize", at, at + KERNEL_NS, "sync")
            at += KERNEL_NS
    return foreign(run)


def test_where_steps_overlap_and_the_device_still_waits_the_host_is_the_bottleneck():
    finding = costliest(loop(waits=False))
    assert (finding.rule, finding.mechanism) == ("host is the bottleneck", "")
    assert finding.ns == 9 * (PLAN_NS - KERNEL_NS)
    assert {loop(waits=False).spans["name"][e.span_id] for e in finding.evidence} == {"plan"}


def test_where_host_and_device_take_turns_overlap_is_what_is_missing():
    finding = costliest(loop(waits=True))
    assert (finding.rule, finding.mechanism) == ("CPU work between steps", "depth=2")
    assert finding.ns == 9 * PLAN_NS


WAITS_BY = {
    "nothing that is traced": [],
    "a sleep in a Python frame": [("time.sleep", "python", 0, 8_000_000)],
    "polls for an event": [
        ("cudaEventQuery", "runtime", at, at + 99_000) for at in range(0, 8_000_000, 100_000)
    ],
    "a blocking copy": [("cudaMemcpy", "runtime", 0, 8_000_000)],
}


@pytest.mark.parametrize("waits", WAITS_BY.values(), ids=WAITS_BY.keys())
def test_a_loop_that_takes_turns_is_not_host_bound_whatever_it_waits_by(waits):
    """2 ms of host work, then a kernel of 8 ms; the wait for it bears no such name."""
    run, at = Diagram(), 0
    for _ in range(8):
        run.host("plan", at, at + 2_000_000)
        at += 2_000_000
        call = run.host("cudaLaunchKernel", at, at + 10_000, "launch")
        at += 10_000
        run.gpu("compute", "kernel", at, at + 8_000_000, call)
        for name, kind, start, end in waits:
            run.host(name, at + start, at + end, kind)
        at += 8_005_000
    trace = foreign(run)
    assert not is_host_bound(trace) and not runs_ahead(trace)
    assert (costliest(trace).rule, costliest(trace).mechanism) == (
        "CPU work between steps",
        "depth=2",
    )


@pytest.mark.parametrize("kernels", [1, 3])
@pytest.mark.parametrize("ahead", [True, False])
def test_launches_run_ahead_where_each_finds_earlier_work_on_the_device(kernels, ahead):
    """A step of some kernels, launched at once: while the last step's run, or when they ended."""
    run, step_ns = Diagram(), 1_000_000 * kernels
    for step in range(8):
        busy_until = 100_000 * kernels + (step_ns if ahead else step_ns + 500_000) * step
        at = busy_until - (step_ns // 2 if ahead and step else 50_000 * kernels)
        for number in range(kernels):
            call = run.host("cudaLaunchKernel", at + 9_000 * number, at + 9_000 * (number + 1),
                            "launch")  # fmt: skip
            start = busy_until + 1_000_000 * number
            run.gpu("compute", "kernel", start, start + 1_000_000, call, name=f"k{number}")
    assert runs_ahead(foreign(run)) == ahead


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("name", COSTS)
def test_of_an_engines_run_the_host_is_the_bottleneck_if_it_needs_longer_than_the_device(
    name, mode
):
    """From what overlaps in the trace; what each step needs is the other way to ask."""
    cost = COSTS[name]
    trace = run(mode, cost=cost, workload=cost.workload, steps=24, compute=False).trace
    prediction = what_if(trace)
    host = sum(step.host_ns for step in prediction.parts)
    device = sum(step.compute_ns for step in prediction.parts)
    copies = max(sum(step.copy_in_ns for step in prediction.parts),
                 sum(step.copy_out_ns for step in prediction.parts))  # fmt: skip
    is_bound = mode == "async" and host > max(device, copies)
    assert is_host_bound(trace) == is_bound
    found = {finding.rule: finding for finding in find_findings(trace)}
    if is_bound:
        assert costliest(trace).rule == "host is the bottleneck"
        assert "CPU work between steps" not in found
        assert not any(finding.mechanism == "depth=2" for finding in found.values())
    else:
        assert "host is the bottleneck" not in found
        assert runs_ahead(trace) == (mode == "async")
        assert any(f.mechanism == "depth=2" for f in found.values()) == (mode == "sync")
