"""Real files of other projects: each opens with the expected figures or is refused kindly.

They are not part of this repository. The folder is OVERLAP_LAB_PUBLIC_TRACES, or
../shared/public_traces beside the repository; without it these tests are skipped.
"""

import csv
import os
import sqlite3
from collections import defaultdict
from pathlib import Path

import pytest

from traces import TraceError, device_activity, find_gaps, open_trace

BESIDE = Path(__file__).parents[3].parent / "shared" / "public_traces"
FOLDER = Path(os.environ.get("OVERLAP_LAB_PUBLIC_TRACES", BESIDE))
NO_TRACES = {".tsv", ".md"}
FILES = sorted(FOLDER.iterdir()) if FOLDER.is_dir() else []
FILES = [path for path in FILES if path.suffix not in NO_TRACES]
UNREADABLE = {".nsys-rep"}
TABLES = {".sqlite", ".csv"}

pytestmark = pytest.mark.skipif(not FILES, reason=f"no public traces in {FOLDER.name}")


def expected():
    rows = defaultdict(dict)
    with (FOLDER / "EXPECTED.tsv").open() as table:
        for row in csv.DictReader(table, delimiter="\t"):
            rows[row["file"]][int(row["dev"])] = row
    return rows


def readable():
    return [path for path in FILES if path.suffix not in UNREADABLE | TABLES]


def tables():
    return [path for path in FILES if path.suffix in TABLES]


@pytest.mark.parametrize("path", readable(), ids=lambda path: path.name)
def test_busy_time_is_as_expected_and_gaps_make_up_the_rest(path):
    trace = open_trace(path)
    found = {device.device: device for device in device_activity(trace)}
    wanted = expected()[path.name]
    assert set(found) == set(wanted)
    for number, row in wanted.items():
        device = found[number]
        assert 100 * device.active == pytest.approx(float(row["busy_pct"]), abs=0.05)
        assert len(trace.gpu_spans(number)) == int(row["gpu_ev"])
        assert len(device.streams) == int(row["streams"])
        assert device.copy_compute_overlap_ns == pytest.approx(
            1000 * float(row["copy_overlap_us"]), abs=1000
        )
        assert sum(gap.ns for gap in find_gaps(trace, number)) == device.idle_ns


@pytest.mark.parametrize("path", readable(), ids=lambda path: path.name)
def test_launches_are_found_as_expected(path):
    trace = open_trace(path)
    launches = trace.flows[trace.flows["kind"] == "launch"]
    for number, row in expected()[path.name].items():
        launched = trace.gpu_spans(number).index.isin(launches["dst"])
        assert int((~launched).sum()) == int(row["gpu_without_launch"])
        if len(launches):
            assert launches["src"].value_counts().max() == int(row["max_k_per_corr"])
        assert int((trace.spans["kind"] == "sync").sum()) == int(row["host_sync_calls"])


@pytest.mark.parametrize("path", tables(), ids=lambda path: path.name)
def test_tables_have_the_busy_time_that_their_rows_say(path):
    trace = open_trace(path)
    assert [device.device for device in device_activity(trace)] == sorted(busy_ns_by_device(path))
    for device in device_activity(trace):
        assert device.busy_ns == busy_ns_by_device(path)[device.device]
        assert sum(gap.ns for gap in find_gaps(trace, device.device)) == device.idle_ns
    if path.suffix == ".sqlite":
        launched = trace.gpu_spans().index.isin(trace.flows["dst"])
        assert launched.mean() > 0.9
    assert trace.meta["skipped"] == 0


def busy_ns_by_device(path):
    """Union of the work on each device, from the tables alone, one row after the other."""
    busy, behind = defaultdict(int), defaultdict(int)
    for start, end, device in sorted(csv_rows(path) if path.suffix == ".csv" else sql_rows(path)):
        busy[device] += max(0, end - max(start, behind[device]))
        behind[device] = max(behind[device], end)
    return busy


def csv_rows(path):
    with path.open() as table:
        for row in csv.DictReader(table):
            if "Kernel_Name" in row:
                times = (int(row["Start_Timestamp"]), int(row["End_Timestamp"]))
                yield *times, int(row["Agent_Id"])


def sql_rows(path):
    connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    known = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    wanted = [f"CUPTI_ACTIVITY_KIND_{kind}" for kind in ("KERNEL", "MEMCPY", "MEMSET")]
    rows = [
        row
        for name in wanted
        if name in known
        for row in connection.execute(f'SELECT start, "end", deviceId FROM {name}')
    ]
    connection.close()
    return rows


@pytest.mark.parametrize(
    "path", [p for p in FILES if p.suffix in UNREADABLE], ids=lambda path: path.name
)
def test_what_is_not_read_is_refused_in_one_sentence(path):
    with pytest.raises(TraceError) as refusal:
        open_trace(path)
    assert str(refusal.value).count("\n") == 0
