"""Nsight Systems exports of several processes, and those whose work does not say of which it is."""

import pytest

from tests.traces.readers.nsight_files import OTHER_PID, call, kernel, tables, write
from traces import open_trace, what_if

KERNEL, RUNTIME = "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME"
OTHER_TID = OTHER_PID | 7


@pytest.fixture
def read(tmp_path):
    def read(kernels, calls):
        return open_trace(write(tmp_path / "report", tables(**{KERNEL: kernels, RUNTIME: calls})))

    return read


def launch(correlation, *thread):
    return call("cudaLaunchKernel", 0, 5, correlation, *thread)


def without_process(correlation):
    row = kernel(100 * correlation, 100 * correlation + 9, correlation)
    return {name: value for name, value in row.items() if name != "globalPid"}


def test_a_table_without_processes_is_bound_by_correlation_where_there_is_one(read):
    trace = read([without_process(1), without_process(2)], [launch(1), launch(2)])
    assert trace.flows["kind"].tolist() == ["launch"] * 2
    assert "launches have no operation" not in what_if(trace).cannot_tell


@pytest.mark.parametrize(("other_id", "bound"), [(1, 0), (2, 1)])
def test_in_a_table_without_processes_only_an_id_of_one_process_tells(read, other_id, bound):
    trace = read([without_process(1)], [launch(1), launch(other_id, OTHER_TID)])
    assert len(trace.flows) == bound


def test_work_of_a_process_that_is_known_is_bound_to_no_other(read):
    assert read([kernel(100, 109)], [launch(1, OTHER_TID)]).flows.empty
