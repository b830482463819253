"""Trace files that a lesson hands out."""

import gzip

import pytest

from lessons.handouts import handouts
from lessons.loading import lessons
from lessons.scenes import config_of, run_of
from lessons.workfolder import start
from traces import open_trace

HANDED = [
    (lesson, run)
    for lesson in lessons().values()
    for run in (*lesson.scene, *lesson.run)
    if run.handout
]


def test_some_lesson_hands_out_traces():
    assert HANDED


@pytest.mark.parametrize(("lesson", "run"), HANDED, ids=lambda it: getattr(it, "id", it))
def test_a_trace_that_is_handed_out_is_that_of_its_run_and_does_not_say_how_it_was_made(
    lesson, run, tmp_path
):
    path, new = start(lesson, tmp_path)
    file = path.with_name(f"{run.id}.json.gz")
    config = config_of(run)
    trace = open_trace(file)
    assert new and file.read_bytes() == handouts(lesson)[file.name]
    assert trace.spans.equals(run_of(config).trace.spans) and "run" not in trace.meta
    told = gzip.decompress(file.read_bytes()).decode()
    assert not any(f'"{word}"' in told for word in (config.mode, config.cost.name))
