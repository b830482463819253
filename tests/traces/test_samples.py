"""The bundled samples: listed by an index, each one opens."""

import json

import pytest

from tests.traces.test_gap_walk import sync_run
from traces import Sample, list_samples, open_sample, write_trace


def test_the_index_names_them_and_missing_files_are_left_out(tmp_path):
    write_trace(sync_run().trace(), tmp_path / "sync.json.gz")
    index = [
        {"file": name, "title": "Sync", "about": "One."} for name in ("sync.json.gz", "gone.json")
    ]
    (tmp_path / "index.json").write_text(json.dumps(index))
    assert list_samples(tmp_path) == [Sample("sync.json.gz", "Sync", "One.")]
    assert len(open_sample(list_samples(tmp_path)[0], tmp_path).spans) == 14


def test_without_a_folder_there_are_no_samples(tmp_path):
    assert list_samples(tmp_path / "none") == []


@pytest.mark.parametrize("sample", list_samples(), ids=lambda sample: sample.file)
def test_every_bundled_sample_opens_and_has_gpu_work_where_the_engine_made_it(sample):
    trace = open_sample(sample)
    assert bool(trace.devices) == trace.is_engine_dump
    assert sample.title
    assert sample.about
