"""Runs a check in a process of its own: with a time limit, a memory limit and no network.

The student's file is copied into an empty folder first and run there, so that the original is
out of reach of anything that goes by a relative path.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import msgspec

from lessons.checks import Check, Verdict, failed
from lessons.child import TRACE
from lessons.judging import why_not_readable
from lessons.lesson import Lesson
from lessons.limits import Limits, offline_prefix

ROOT = Path(__file__).resolve().parents[1]
KILLED_FOR_TIME = -signal.SIGXCPU if hasattr(signal, "SIGXCPU") else None


@dataclass(frozen=True)
class Outcome:
    """A verdict, and the trace of a failing run as the bytes of a file (empty: there is none)."""

    verdict: Verdict
    trace: bytes = b""


def check_file(lesson: Lesson, path: Path, limits: Limits) -> Outcome:
    """Judge a file in a process of its own; it ends within the limits, whatever the file does."""
    if unreadable := why_not_readable(path):
        return Outcome(unreadable)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        work = Path(temporary) / "work"
        work.mkdir()
        copied = work / "exercise.py"
        shutil.copyfile(path, copied)
        result = Path(temporary) / "result.json"
        code = _run(lesson, copied, result, limits)
        if code is None or code == KILLED_FOR_TIME:
            return Outcome(failed("endless", seconds=f"{limits.seconds:g}"))
        try:
            checks = msgspec.json.decode(result.read_bytes(), type=list[Check])
        except (OSError, msgspec.DecodeError):
            return Outcome(_died(code, limits))
        trace = Path(temporary) / TRACE
        return Outcome(Verdict(checks), trace.read_bytes() if trace.is_file() else b"")


def _died(code: int, limits: Limits) -> Verdict:
    """A process that ended without a result: out of memory it is aborted or killed."""
    if code in (-signal.SIGABRT, -signal.SIGSEGV, -9, 137):
        return failed("memory", megabytes=limits.megabytes)
    return failed("died", code=code)


def _run(lesson: Lesson, copied: Path, result: Path, limits: Limits) -> int | None:
    """Start the child and wait; its exit code, or None where the time was up."""
    command = [
        *offline_prefix(), sys.executable, "-m", "lessons.child", str(lesson.folder), str(copied),
        str(result), str(limits.seconds), str(limits.megabytes),
    ]  # fmt: skip
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {
        **os.environ, "PYTHONPATH": os.pathsep.join(paths), "HOME": str(copied.parent),
        "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    process = subprocess.Popen(
        command, cwd=copied.parent, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None  # a pipe was asked for
    try:
        process.stdout.readline()  # to start takes long on a busy machine, and is not their time
        return process.wait(limits.seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        process.stdout.close()
        _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the child with all that it started."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
