"""A copy call that is slow itself copies on the host, too: it loads no module."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.traces.test_gap_rules import causes, host, opened
from tests.traces.test_gap_rules import kernel as gpu_kernel
from traces import find_findings
from traces.gap import LATENCY, UNTRACED
from traces.gap_rules import QUEUED, SLOW_LAUNCH

PAGEABLE = "Memcpy HtoD (Pageable -> Device)"


def copy(start, end, name):
    return gpu_kernel(start, end, 2) | {"cat": "gpu_memcpy", "name": name}


def call(start, end, name="cudaMemcpyAsync"):
    return host(name, start, end, "cuda_runtime", 2)


@pytest.mark.parametrize(
    ("called", "copied", "cause"),
    [
        ("cudaMemcpyAsync", PAGEABLE, "pageable copy"),
        ("cudaMemcpyAsync", "Memcpy DtoH (Device -> Pageable)", "pageable copy"),
        ("cuMemcpyHtoDAsync", PAGEABLE, "pageable copy"),
        ("hipMemcpyAsync", "Memcpy HtoD (Host -> Device)", "blocking copy"),
        ("cudaMemcpyAsync", "Memcpy HtoD (Pinned -> Device)", SLOW_LAUNCH),
        ("cudaMemcpyAsync", "Memcpy DtoD (Device -> Device)", SLOW_LAUNCH),
        ("cudaMemcpy", PAGEABLE, "cudaMemcpy"),
    ],
)
@pytest.mark.parametrize("begin", [20, 130])
def test_a_slow_copy_call_is_named_by_what_it_copies(called, copied, cause, begin):
    found = causes(call(begin, 1630, called), copy(1500, 1700, copied))
    untraced = max(0, begin - 100)
    assert found == {cause: 1400 - untraced} | ({UNTRACED: untraced} if untraced else {})


def test_its_finding_is_a_copy():
    rows = (call(20, 1520), copy(1400, 1500, PAGEABLE))
    trace = opened(
        gpu_kernel(0, 100, 1), host("cudaLaunchKernel", -20, -15, "cuda_runtime", 1), *rows
    )
    first = find_findings(trace)[0]
    assert (first.rule, first.mechanism) == ("pageable copy", "memory=pinned")


@given(begin=st.integers(-15, 150), returns=st.integers(0, 3000), starts=st.integers(150, 3000))
def test_all_of_the_call_before_the_copy_is_staging_however_short(begin, returns, starts):
    returns = max(begin, returns)
    found = causes(call(begin, returns), copy(starts, starts + 70, PAGEABLE))
    assert found.get("pageable copy", 0) == max(0, min(returns, starts) - max(begin, 100))
    assert sum(found.values()) == starts - 100
    assert set(found) <= {
        "pageable copy",
        UNTRACED,
        LATENCY,
        QUEUED,
        "cannot tell (started long after its launch)",
    }
