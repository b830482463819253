"""Host spans and steps as a profiler sees them, up to the calls that reach NVTX's library."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine import run
from engine.device.nvtx_ranges import nvtx_listener
from engine.device.virtual import VirtualDevice
from tests.engine.device.names import NAMES

TOOL = Path(__file__).with_name("listening_tool.c")
COMPILER = shutil.which("cc")


class Notes:
    """A profiler that writes down what it is told."""

    def __init__(self):
        self.pushed, self.open, self.steps, self.ended = [], [], [], []

    def push(self, name):
        self.pushed.append(name)
        self.open.append(name)

    def pop(self):
        self.open.pop()

    def begin(self, step):
        self.steps.append(step)
        return step

    def end(self, handle):
        self.ended.append(handle)


@pytest.fixture
def notes(monkeypatch):
    notes = Notes()
    monkeypatch.setattr("engine.devices.nvtx_listener", lambda: notes)
    return notes


@pytest.mark.parametrize("device", NAMES)
@pytest.mark.parametrize(
    "mode",
    ["sync", "async", "ready-queue", "pageable", "cold-allocation", "blocking-launch", "item-sync"],
)
def test_every_host_span_and_every_step_is_a_range(notes, device, mode):
    result = run(mode, device=device, steps=4, compute=False)
    assert notes.pushed == [span.name for span in result.device.spans]
    assert notes.open == []
    assert notes.steps == list(range(result.steps)) == sorted(notes.ended)


def test_what_is_told_changes_nothing(monkeypatch):
    plain = run("async", steps=6)
    monkeypatch.setattr("engine.devices.nvtx_listener", Notes)
    told = run("async", steps=6)
    assert (told.figures, told.texts) == (plain.figures, plain.texts)


@pytest.mark.parametrize("device", NAMES)
def test_every_range_ends_with_a_run_that_fails(notes, device):
    def listener(request, text):
        raise RuntimeError("hung up")

    with pytest.raises(RuntimeError, match="hung up"):
        run("async", device=device, listener=listener)
    assert notes.open == []
    assert sorted(notes.ended) == sorted(notes.steps) != []


def test_where_no_tool_listens_nobody_is_told():
    assert "NVTX_INJECTION64_PATH" not in os.environ
    assert nvtx_listener() is None
    assert type(run("async", steps=2).device) is VirtualDevice  # and nothing is spent on it


def test_without_the_library_nobody_is_told(monkeypatch):
    monkeypatch.setattr("engine.device.nvtx_ranges.nvtx", None)
    assert nvtx_listener() is None


@pytest.mark.skipif(COMPILER is None, reason="no C compiler to make a listening tool")
@pytest.mark.skipif(sys.platform != "linux", reason="the tool is built as on Linux")
@pytest.mark.parametrize("device", NAMES)
def test_a_tool_in_the_librarys_place_is_told(device, tmp_path):
    tool, seen = tmp_path / "tool.so", tmp_path / "seen.txt"
    subprocess.run([COMPILER, "-shared", "-fPIC", "-o", tool, TOOL], check=True)
    subprocess.run(
        [sys.executable, "-m", "engine", "run", "--no-compute", "--mode", "sync", "--steps", "2",
         "--device", device],
        check=True, capture_output=True, cwd=Path(__file__).parents[3],
        env=os.environ | {"NVTX_INJECTION64_PATH": str(tool), "NVTX_SEEN": str(seen)},
    )  # fmt: skip
    told = seen.read_text(encoding="utf-8").splitlines()
    assert told[:4] == ["domain overlap-lab", "start step 0", "push schedule", "pop"]
    end = told.index("start step 1")
    assert told[end - 1] == "end 1"
    step = [line for line in told[:end] if line.startswith("push ")]
    assert step == [
        f"push {name}"
        for name in (
            "schedule", "allocate", "update inputs", "launch", "wait", "wait d2h_done", "read",
            "update state", "stream", "repeat",
        )
    ]  # fmt: skip
