"""Findings where a trace has several devices: each comes once and says what each of them has."""

from hypothesis import given

from tests.traces.builders import several, traces
from traces import find_findings, find_gaps
from traces.finding_rules import RULES

NCCL = "ncclDevKernel_AllReduce"


def test_a_finding_of_several_devices_comes_once_and_says_what_each_has():
    """100 ns with 20 ns of exposed communication beside 300 ns with 30."""
    trace = several(
        (("k", 0, 80), (NCCL, 80, 100)), (("k", 0, 200), ("k", 210, 270), (NCCL, 270, 300))
    )
    found = {finding.rule: finding for finding in find_findings(trace)}
    assert len(found) == len(find_findings(trace))
    exposed = found["exposed communication"]
    assert (exposed.ns, exposed.share) == (50, 50 / 400)
    assert [(one.device, one.ns, one.share) for one in exposed.devices] == [
        (1, 30, 0.1), (0, 20, 0.2),
    ]  # fmt: skip
    (idle,) = (finding for finding in found.values() if finding is not exposed)
    assert [(one.device, one.ns) for one in idle.devices] == [(1, 10)]


@given(traces())
def test_what_each_device_has_of_a_finding_adds_up_to_it_and_to_the_devices_idle_time(trace):
    trace.meta["format"] = "other"
    findings = find_findings(trace)
    assert len({finding.rule for finding in findings}) == len(findings)
    idle = dict.fromkeys(trace.devices, 0)
    for gap in find_gaps(trace):
        idle[gap.device] += gap.ns
    for finding in findings:
        assert sum(one.ns for one in finding.devices) == finding.ns
        assert all(0 < one.share <= 1 for one in finding.devices)
        if finding.rule in {rule.name for rule in RULES}:
            for one in finding.devices:
                idle[one.device] -= one.ns
    assert not any(idle.values())
