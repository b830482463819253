"""A result is put in its place whole, or what was there stays."""

import os
from contextlib import contextmanager

import pytest

from traces import TraceError, list_samples, open_sample, write_trace
from traces.__main__ import main
from traces.conversion import convert
from traces.output import replacing, write_whole, writing
from traces.samples import FOLDER


def test_an_old_file_stays_whole_until_the_new_one_is(tmp_path):
    path = tmp_path / "späte Messung.json"
    path.write_text("old")
    path.chmod(0o640)
    with pytest.raises(ZeroDivisionError), replacing(path) as part:
        part.write_text("half of the n")
        raise ZeroDivisionError
    assert path.read_text() == "old" and os.listdir(tmp_path) == [path.name]
    write_whole(path, "new\r\nände")
    assert path.read_bytes() == "new\r\nände".encode() and os.listdir(tmp_path) == [path.name]
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_link_stays_one_and_a_new_file_is_made(tmp_path):
    file, link = tmp_path / "file", tmp_path / "link"
    write_whole(file, b"1")
    link.symlink_to(file)
    write_whole(link, b"2")
    assert link.is_symlink() and file.read_bytes() == b"2"


resource = pytest.importorskip("resource", reason="Windows has no such limit")


@contextmanager
def no_room():
    """A limit on the size of files stands for a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("name", ["old.json", "old.json.gz", "old.parquet"])
def test_where_the_disk_is_full_one_sentence_is_said_and_the_old_file_stays(tmp_path, capsys, name):
    trace, out = tmp_path / "trace.json", tmp_path / "out" / name
    write_trace(open_sample(list_samples()[0]), trace)
    out.parent.mkdir()
    out.write_text("old")
    with no_room():
        assert main(["convert", str(trace), str(out)]) == 2
    told = capsys.readouterr().err
    assert len(told.splitlines()) == 1 and f"{out} cannot be written (" in told
    assert "File too large" in told
    assert out.read_text() == "old" and os.listdir(out.parent) == [name]


def test_where_there_is_no_room_to_unpack_the_folder_is_named(capsys):
    with no_room():
        assert main(["inspect", str(FOLDER / list_samples()[0].file)]) == 2
    told = capsys.readouterr().err
    assert len(told.splitlines()) == 1 and "no room to unpack" in told and "TMPDIR" in told


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("ending", ["", ".json", ".parquet"])
def test_a_full_device_is_told_in_one_sentence_and_is_still_a_device(tmp_path, ending):
    link = tmp_path / f"full{ending}"
    link.symlink_to("/dev/full")
    trace = open_sample(list_samples()[0])
    write = convert if ending else write_trace
    with pytest.raises(TraceError, match="cannot be written"), writing(link):
        write(trace, link)
    assert not os.path.isfile("/dev/full") and link.is_symlink()
