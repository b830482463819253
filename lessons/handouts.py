"""Trace files that a lesson hands out: runs to be diagnosed, that do not say how they were made."""

from dataclasses import replace
from functools import cache

from lessons.lesson import Lesson
from lessons.scenes import config_of, run_of
from traces import Trace, trace_bytes


@cache
def handouts(lesson: Lesson) -> dict[str, bytes]:
    """The files by name."""
    runs = [run for run in (*lesson.scene, *lesson.run) if run.handout]
    return {f"{run.id}.json.gz": _file(run_of(config_of(run)).trace) for run in runs}


def _file(trace: Trace) -> bytes:
    """A trace without the mode, toggles and cost model of its run."""
    meta = {key: value for key, value in trace.meta.items() if key != "run"}
    return trace_bytes(replace(trace, meta=meta))
