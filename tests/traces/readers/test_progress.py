"""Reading tells how far it has come, and a listener can stop it."""

import gzip
import json
import zipfile
from io import BytesIO
from itertools import pairwise

import pytest

from tests.traces.readers import nsight_files
from tests.traces.readers.test_formats import TEXTS, examples
from tests.traces.readers.test_rocprof_json_reader import dispatch, document
from traces import open_trace, read_traces
from traces.__main__ import main
from traces.readers import chrome_text, progress, source

EVENTS = [{"ph": "X", "name": f"work {n}", "ts": n, "dur": 1, "pid": 1} for n in range(900)]
PLAIN = json.dumps(EVENTS).encode()


def zipped(data):
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("trace.json", data)
    return file.getvalue()


PACKED = {"plain": PLAIN, "gzip": gzip.compress(PLAIN), "zip": zipped(PLAIN)}


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(chrome_text, "PIECE_BYTES", 1 << 12)
    monkeypatch.setattr(source, "CHUNK", 1 << 12)
    monkeypatch.setattr(source, "PACKED_CHUNK", 1 << 8)


def shares(*sources):
    told = []
    read_traces(sources, progress=lambda done, in_all: told.append((done, in_all)))
    assert all(0 <= done <= in_all for done, in_all in told)
    return [done / in_all for done, in_all in told]


@pytest.mark.parametrize("name", PACKED)
def test_the_share_that_is_read_only_grows_and_ends_at_all(name):
    found = shares(PACKED[name])
    assert all(a <= b for a, b in pairwise(found))
    assert len(found) > 3
    assert found[-1] == 1


def test_several_files_are_one_share():
    found = shares(PLAIN, PACKED["gzip"], PLAIN)
    assert all(a <= b for a, b in pairwise(found))
    assert found[-1] == 1


def test_every_format_ends_at_all(tmp_path):
    for name, data in examples(tmp_path).items():
        assert shares(data)[-1] == 1, name


@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize(
    "reason", [ValueError, OSError, RuntimeError, KeyboardInterrupt, zipfile.BadZipFile]
)
@pytest.mark.parametrize("at", [0, 0.3, 0.8])
def test_what_a_listener_raises_ends_the_reading_and_arrives_as_it_is(name, reason, at):
    raised = reason("enough")

    def listener(done, in_all):
        if done >= at * in_all:
            raise raised

    with pytest.raises(reason) as caught:
        open_trace(PACKED[name], progress=listener)
    assert caught.value is raised


def many_kernels(tmp_path):
    """Files of formats that are not read from the first byte to the last."""
    kernels = [nsight_files.kernel(9 * n, 9 * n + 5, n) for n in range(300)]
    content = nsight_files.tables(CUPTI_ACTIVITY_KIND_KERNEL=kernels)
    path = nsight_files.write(tmp_path / "a.sqlite", content)
    yield path.read_bytes()
    yield document(kernel_dispatch=[dispatch(9 * n, 9 * n + 5, n) for n in range(300)])


def test_rows_count_as_the_bytes_of_their_file(tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "ROWS_TOLD", 10)
    for data in many_kernels(tmp_path):
        found = shares(data)
        assert all(a <= b for a, b in pairwise(found))
        assert len(found) > 20 and found[-1] == 1
        assert found[len(found) // 2] < 0.9


def test_a_listener_stops_the_reading_of_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "ROWS_TOLD", 10)
    for data in many_kernels(tmp_path):
        raised = ValueError("enough")

        def listener(done, in_all, raised=raised):
            if done:
                raise raised

        with pytest.raises(ValueError) as caught:
            open_trace(data, progress=listener)
        assert caught.value is raised


def test_a_file_without_a_listener_reads_the_same():
    data = TEXTS["plain CSV"]
    assert open_trace(data).spans.equals(open_trace(data, progress=lambda *_: None).spans)


def test_no_bar_is_drawn_where_nobody_sees_it(tmp_path, capsys):
    path = tmp_path / "a.json"
    path.write_bytes(PLAIN)
    assert main(["inspect", str(path)]) == 0
    assert capsys.readouterr().err == ""
