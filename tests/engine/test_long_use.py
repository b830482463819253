"""Many runs in one process leave nothing behind: no thread, no open file, no memory."""

import os
import subprocess
import sys
import threading

import pytest

RUNS = """
import gc, os, resource, sys, threading
from engine import run

def measure():
    files = len(os.listdir("/proc/self/fd"))
    pages = int(open("/proc/self/statm").read().split()[1])
    return threading.active_count(), files, pages * resource.getpagesize() / 1e6

def some(first, last):
    for seed in range(first, last):
        device = "threads" if seed % 10 == 0 else "virtual"
        run("async", seed=seed, steps=3, device=device)
        run("no-wait-h2d", seed=seed, steps=3).hazards

warm, runs = int(sys.argv[1]), int(sys.argv[2])
some(0, warm)
gc.collect()
before = measure()
some(warm, warm + runs)
gc.collect()
print(*before, *measure())
"""


def left_behind(warm, runs):
    """Threads, files and MB more after `runs` pairs of runs than after the first `warm`."""
    program = [sys.executable, "-c", RUNS, str(warm), str(runs)]
    told = subprocess.run(program, capture_output=True, text=True, check=True).stdout.split()
    return [after - before for before, after in zip(
        map(float, told[:3]), map(float, told[3:]), strict=True)]  # fmt: skip


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="reads Linux's /proc")
@pytest.mark.parametrize(
    ("warm", "runs"), [(20, 10), pytest.param(60, 500, marks=pytest.mark.slow)]
)
def test_runs_leave_no_thread_no_file_and_no_memory(warm, runs):
    threads, files, mb = left_behind(warm, runs)
    assert (threads, files) == (0, 0) and mb < 60


@pytest.mark.parametrize("mode", ["async", "no-wait-compute"])
@pytest.mark.parametrize("stopped_at", [0, 1, 3])
def test_a_run_that_is_called_off_at_any_moment_leaves_no_thread(mode, stopped_at):
    from engine import run

    before = set(threading.enumerate())
    asked = []

    def stop():
        asked.append(1)
        return len(asked) > stopped_at

    assert run(mode, steps=8, device="threads", stop=stop).stopped

    def fail():
        asked.append(1)
        if len(asked) > stopped_at:
            raise KeyboardInterrupt
        return False

    asked.clear()
    with pytest.raises(KeyboardInterrupt):
        run(mode, steps=8, device="threads", stop=fail)
    assert set(threading.enumerate()) <= before
