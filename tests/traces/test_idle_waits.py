"""A wait that goes on for milliseconds on idle devices was for work that the trace lacks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.traces.test_gap_rules import causes, host, kernel, launch, opened
from traces import find_findings, find_gaps, gaps_by_cause
from traces.gap import LATENCY, UNTRACED
from traces.gap_rules import EVENTS_MISSING

SYNC = "cudaDeviceSynchronize"


def wait(start, end, name=SYNC, tid=1):
    return host(name, start, end, "cuda_runtime", 99, tid)


@pytest.mark.parametrize("name", [SYNC, "cudaStreamSynchronize", "hipEventSynchronize"])
@pytest.mark.parametrize("operator", ["aten::_local_scalar_dense", "aten::linear"])
def test_no_call_and_no_operator_is_blamed_for_it(name, operator):
    events = (host(operator, 105, 2110), wait(105, 2105, name), launch(2110, 2))
    found = causes(*events, kernel(2120, 2200, 2))
    assert found == {EVENTS_MISSING: 2000, "CPU operators": 5, UNTRACED: 5, LATENCY: 10}
    trace = opened(kernel(0, 100, 1), launch(-20, 1), *events, kernel(2120, 2200, 2))
    first = find_findings(trace)[0]
    assert (first.rule, first.confidence) == ("incomplete trace", "low")


@given(begin=st.integers(-10, 3000), us=st.integers(0, 3000))
def test_it_is_doubted_from_where_the_work_ended_and_only_if_it_is_long(begin, us):
    """The first kernel ends at 100 and whatever is behind it is an idle device."""
    end = begin + us
    found = causes(wait(begin, end), launch(end + 5, 2), kernel(max(end, 100) + 20, 9000, 2))
    idle = max(0, end - max(begin, 100))
    assert found.get(EVENTS_MISSING, 0) == (idle if idle >= 1000 else 0)
    assert found.get(SYNC, 0) == (0 if idle >= 1000 else idle)


@pytest.mark.parametrize("name", ["cudaMemcpy", "hipMemcpyWithStream"])
def test_a_copy_that_waits_may_be_busy_itself(name):
    found = causes(wait(100, 2105, name), launch(2105, 2), kernel(2110, 2200, 2))
    assert found == {name: 2005, LATENCY: 5}


def on_other_gpu(event, pid=9):
    args = event["args"] | {"device": 1}
    return event | ({"args": args, "pid": 1} if event["cat"] == "kernel" else {"pid": pid})


@pytest.mark.parametrize(("launching", "cause"), [(9, SYNC), (10, EVENTS_MISSING)])
def test_work_on_another_device_explains_it_if_it_is_of_the_same_process(launching, cause):
    """Waiting for GPU 1 leaves GPU 0 idle, and that is the wait's fault."""
    other = [on_other_gpu(launch(-30, 5), launching), on_other_gpu(kernel(0, 2100, 5))]
    events = (wait(105, 2105), launch(2110, 2), kernel(2120, 2200, 2), *other)
    trace = opened(kernel(0, 100, 1), launch(-20, 1), *events)
    found = gaps_by_cause(find_gaps(trace, 0))
    assert found == {cause: 2_000_000, UNTRACED: 10_000, LATENCY: 10_000}


def test_work_that_came_late_but_came_is_no_lost_work():
    """The device idles while the host waits, and then does what the host waits for."""
    other = [on_other_gpu(launch(-30, 5)), on_other_gpu(kernel(3000, 4000, 5))]
    events = (wait(105, 4005), launch(4010, 2), kernel(4020, 4100, 2), *other)
    trace = opened(kernel(0, 100, 1), launch(-20, 1), *events)
    assert gaps_by_cause(find_gaps(trace, 0))[SYNC] == 3_900_000
