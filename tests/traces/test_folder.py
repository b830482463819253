"""`python -m traces inspect FOLDER`: each file by itself, the worst first."""

import json
import os
import shutil

import pytest

from tests.traces.builders import several
from traces import list_samples, open_trace, summarize, write_trace
from traces.__main__ import main
from traces.samples import FOLDER


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "Messung 1 – Läufe"
    (place / "später").mkdir(parents=True)
    shutil.copy(FOLDER / "engine-async.json.gz", place / "a b.json.gz")
    shutil.copy(FOLDER / "engine-sync.json.gz", place / "später" / "同步.json.gz")
    return place


def test_files_come_by_idle_time_with_the_figures_that_each_has_alone(folder, capsys):
    assert main(["inspect", str(folder), "--jobs", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["file"] for one in told["files"]] == ["später/同步.json.gz", "a b.json.gz"]
    assert told["refused"] == []
    for one in told["files"]:
        alone = summarize(open_trace(folder / one.pop("file")))
        assert one == json.loads(json.dumps(alone))


def test_each_file_is_a_line(folder, capsys):
    assert main(["inspect", str(folder), "--jobs", "1"]) == 0
    head, first, second = capsys.readouterr().out.splitlines()
    assert head.split()[:2] == ["idle", "ms"]
    assert "später/同步.json.gz: update state" in first and "98.7 %" in second


def test_of_a_file_with_several_gpus_it_is_said_what_the_figures_are_of(tmp_path, capsys):
    two = several((("k", 0, 40), ("k", 60, 100)), (("k", 0, 90), ("k", 100, 200)))
    write_trace(two, tmp_path / "two.json")
    assert main(["inspect", str(tmp_path), "--jobs", "1"]) == 0
    _, line, base = capsys.readouterr().out.splitlines()
    assert "80.0 %" in line and base.startswith("Of a file with several GPUs: ")


def test_min_active_is_asked_of_every_file(folder, capsys):
    assert main(["inspect", str(folder), "--jobs", "1", "--min-active", "0.9"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("später/同步.json.gz: GPU 0 is active 76.0 %")
    assert main(["inspect", str(folder), "--jobs", "1", "--min-active", "0.5"]) == 0


def test_what_cannot_be_read_is_told_and_the_others_are_shown(folder, capsys):
    (folder / "notes.json").write_text("read me")
    (folder / "empty.csv").write_text("")
    (folder / ".hidden").write_text("not looked at")
    assert main(["inspect", str(folder), "--jobs", "1", "--min-active", "0.9"]) == 2
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == 3
    assert "notes.json: This is a text file, not a trace" in shown.err
    assert "empty.csv: The file is empty" in shown.err and ".hidden" not in shown.err


SOURCES = {
    "__init__.py": b'"""Of readers, writers, and others."""\n\n__all__ = ["a", "b", "c"]\n',
    "empty.py": b"",
    "sub/notes.TXT": b"read me",
    "settings.toml": b"[tool]\nname = 1\n",
    "list.py": b"[one, two]",
    "compiled.pyc": b"\xa7\r\r\n\0\0",
    "picture.png": b"\x89PNG\r\n\x1a\n\0\0\0",
}


@pytest.fixture
def with_sources(folder):
    (folder / "sub").mkdir()
    for name, content in SOURCES.items():
        (folder / name).write_bytes(content)
    return folder


def test_what_nobody_takes_for_a_trace_is_counted_in_one_line(with_sources, capsys):
    assert main(["inspect", str(with_sources), "--jobs", "1"]) == 0
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == 3
    (line,) = shown.err.splitlines()
    assert line.startswith("7 other files (text, code and the like) are no traces: __init__.py, ")
    assert line.endswith(", …")
    assert main(["inspect", str(with_sources), "--jobs", "1", "--json"]) == 0
    refused = json.loads(capsys.readouterr().out)["refused"]
    assert {one["file"] for one in refused} == set(SOURCES)
    assert not any("This is a CSV" in one["reason"] for one in refused)


def test_a_folder_without_a_trace_is_bad_input(with_sources, capsys):
    for file in with_sources.rglob("*.gz"):
        file.unlink()
    assert main(["inspect", str(with_sources), "--jobs", "1"]) == 2
    shown = capsys.readouterr()
    assert not shown.out.strip() and len(shown.err.splitlines()) == 1


@pytest.mark.parametrize("name", ["report.txt", "snapshot.pickle", "table.parquet"])
def test_what_is_known_and_cannot_be_opened_has_its_own_line(folder, name, capsys):
    (folder / name).write_bytes(b"NVIDIA Tegra Profiler Report \0")
    assert main(["inspect", str(folder), "--jobs", "1"]) == 2
    assert f"{name}: This is an Nsight Systems report" in capsys.readouterr().err


@pytest.mark.parametrize("extra", [[], ["--json"]])
def test_a_folder_beside_a_file_and_an_empty_folder_are_refused(tmp_path, capsys, extra):
    file = str(FOLDER / list_samples()[0].file)
    assert main(["inspect", str(tmp_path), file, *extra]) == 2
    assert "recordings of their own" in capsys.readouterr().err
    assert main(["inspect", str(tmp_path), *extra]) == 2
    assert "holds no files" in capsys.readouterr().err


def test_a_file_that_raises_what_nobody_foresaw_is_told_and_the_others_are_shown(
    folder, capsys, monkeypatch
):
    def fails(trace):
        raise ZeroDivisionError("of no figure")

    whole = summarize
    monkeypatch.setattr(
        "traces.folder.summarize",
        lambda trace: fails(trace) if trace.meta["name"].startswith("a b") else whole(trace),
    )
    assert main(["inspect", str(folder), "--jobs", "1"]) == 2
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == 2 and "同步.json.gz" in shown.out
    assert shown.err.splitlines() == ["a b.json.gz: ZeroDivisionError: of no figure"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_a_name_with_a_line_break_or_an_escape_stays_on_its_line(tmp_path, capsys):
    name = "x\n\x1b[31m\u202ey"
    shutil.copy(FOLDER / "engine-sync.json.gz", tmp_path / f"{name}.gz")
    (tmp_path / f"{name}.txt").write_text("read me")
    assert main(["inspect", str(tmp_path), "--jobs", "1", "--min-active", "1"]) == 1
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == 2 and len(shown.err.splitlines()) == 2
    assert not {"\x1b", "\u202e"} & set(shown.out + shown.err)
    assert "x \\x1b[31m\\u202ey.gz" in shown.out
