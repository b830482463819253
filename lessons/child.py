"""The process that runs one student's file: `python -m lessons.child LESSON FILE RESULT ...`.

It binds itself to its limits, judges the file, and writes the verdict as JSON, and the trace of
a failing run beside it. Only `lessons.process` starts it.
"""

import os
import sys
from pathlib import Path

import msgspec

from lessons.checks import Check, Verdict
from lessons.guard import Guard
from lessons.judging import judge, load_module
from lessons.limits import Limits, apply
from lessons.loading import load_lesson
from traces import trace_bytes

TRACE = "failing-run.json.gz"

BEGUN = "begun"
"""Written once all is loaded that is not the student's: from then on their time is counted."""


def main(arguments: list[str]) -> None:
    """Judge a file; arguments: lesson folder, file, result file, seconds, megabytes."""
    folder, path, result, seconds, megabytes = arguments
    lesson = load_lesson(Path(folder))
    sys.dont_write_bytecode = True
    load_module(lesson.folder / "check.py", "lesson_check")  # what it imports may write caches
    out = os.fdopen(os.dup(1), "w")
    with open(os.devnull, "w") as silence:  # what a student prints is not the result
        os.dup2(silence.fileno(), 1)
    out.write(f"{BEGUN}\n")
    out.flush()
    limits = Limits(float(seconds), int(megabytes))
    apply(limits)
    guard = Guard()
    guard.closed = True
    verdict = judge(lesson, Path(path))
    guard.closed = False
    if guard.attempt is not None:
        act = {"act": guard.attempt.en, "act_zh": guard.attempt.zh}
        verdict = Verdict([Check("runs", False, "forbidden", values=act)])
    verdict = with_limits(verdict, limits)
    Path(result).write_bytes(msgspec.json.encode(list(verdict.checks)))
    if verdict.trace is not None and not verdict.passed:
        Path(result).with_name(TRACE).write_bytes(trace_bytes(verdict.trace))
    os._exit(0)  # nothing a student left behind (threads, exit handlers) goes on


def with_limits(verdict: Verdict, limits: Limits) -> Verdict:
    """The verdict with the memory limit in words."""
    if len(verdict.checks) == 1 and verdict.checks[0].message == "memory":
        values = {"megabytes": limits.megabytes}
        return Verdict([Check("runs", False, "memory", values=values)])
    return verdict


if __name__ == "__main__":
    main(sys.argv[1:])
