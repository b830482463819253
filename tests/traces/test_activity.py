"""Busy and idle time: unions over all streams, exact integers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.traces.builders import Diagram
from traces import Trace, device_activity, find_findings, find_gaps


def test_overlapping_streams_count_once():
    run = Diagram()
    run.gpu("compute", "kernel", 0, 10)
    run.gpu("H2D", "h2d", 5, 15)
    run.gpu("D2H", "d2h", 20, 30)
    run.host("schedule", 0, 100)
    (device,) = device_activity(run.trace())
    assert (device.busy_ns, device.span_ns, device.idle_ns) == (25, 30, 5)
    assert (device.compute_ns, device.copy_ns, device.copy_compute_overlap_ns) == (10, 20, 5)
    assert device.streams == (0, 1, 2)
    assert device.active == 25 / 30
    assert device.compute_active == 10 / 30


def test_annotations_and_host_work_are_never_busy():
    run = Diagram()
    run.gpu("compute", "annotation", 0, 100)
    run.host("schedule", 0, 100)
    assert device_activity(run.trace()) == []


def test_devices_are_kept_apart():
    run = Diagram()
    run.gpu("compute", "kernel", 0, 10)
    run.gpu("compute", "kernel", 0, 30)
    run.spans[1]["device"] = 3
    assert [(d.device, d.busy_ns) for d in device_activity(run.trace())] == [(0, 10), (3, 30)]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 9)), min_size=1, max_size=9))
def test_busy_agrees_with_counting_instants(ops):
    run = Diagram()
    for start, length in ops:
        run.gpu("compute", "kernel", start, start + length)
    (device,) = device_activity(run.trace())
    assert device.busy_ns == len({t for start, n in ops for t in range(start, start + n)})
    assert 0 <= device.idle_ns <= device.span_ns


def test_communication_counts_apart_and_what_compute_covers_is_not_exposed():
    run = Diagram()
    run.gpu("compute", "kernel", 0, 10)
    run.gpu("D2H", "kernel", 5, 25, name="ncclDevKernel_AllReduce_Sum_bf16_RING_LL")
    run.gpu("H2D", "h2d", 20, 40)
    (device,) = device_activity(run.trace())
    assert (device.compute_ns, device.communication_ns) == (10, 20)
    assert device.exposed_communication_ns == 15
    assert (device.copy_compute_overlap_ns, device.copy_only_ns) == (5, 15)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 40), st.integers(0, 9), st.sampled_from(["mm", "nccl", "h2d", "memset"])
        ),
        min_size=1,
        max_size=9,
    )
)
def test_every_busy_instant_is_in_one_class(ops):
    run = Diagram()
    for start, length, what in ops:
        kind = what if what in ("h2d", "memset") else "kernel"
        run.gpu("compute", kind, start, start + length, name=what)
    (device,) = device_activity(run.trace())
    at = {
        what: {t for start, n, other in ops if other == what for t in range(start, start + n)}
        for what in ("mm", "nccl", "h2d", "memset")
    }
    assert device.compute_ns == len(at["mm"])
    assert device.exposed_communication_ns == len(at["nccl"] - at["mm"])
    assert device.copy_only_ns == len(at["h2d"] - at["mm"] - at["nccl"])
    memset_only = len(at["memset"] - at["mm"] - at["nccl"] - at["h2d"])
    classes = device.compute_ns + device.exposed_communication_ns + device.copy_only_ns
    assert device.busy_ns == classes + memset_only


@pytest.mark.parametrize("analysis", [device_activity, find_gaps, find_findings])
def test_the_table_is_filtered_as_often_for_many_devices_as_for_one(analysis, monkeypatch):
    calls = []
    gpu_spans = Trace.gpu_spans

    def counted(self, device=None):
        calls.append(device)
        return gpu_spans(self, device)

    monkeypatch.setattr(Trace, "gpu_spans", counted)
    counts = []
    for devices in (1, 12):
        rows = [
            {"kind": kind, "ts_ns": 10 * n, "dur_ns": 4, "device": device, "stream": 0}
            for device in range(devices)
            for n, kind in enumerate(["h2d", "kernel", "kernel"])
        ]
        calls.clear()
        analysis(Trace.from_rows(rows, meta={"format": "other"}))
        counts.append(len(calls))
    assert counts[0] == counts[1]
