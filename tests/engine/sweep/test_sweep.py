"""`python -m engine sweep`: a whole table, whatever happens on the way."""

import json
import multiprocessing
import threading
import time

import pandas as pd
import pytest

import engine.sweep.command as command
from engine.cli import main
from engine.sweep.row import COLUMNS, ERROR, IDLE, KEY, figures
from engine.sweep.table import JOURNAL

GRID = ["--grid", "depth=1,2", "--seeds", "0:3", "--steps", "5", "--set", "wait_h2d=off"]


def sweep(path, *arguments, jobs="1"):
    return main(["sweep", "-o", str(path), "--jobs", jobs, *arguments])


def as_rows(path):
    return pd.read_parquet(path).sort_values(KEY, ignore_index=True)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A sweep that nothing disturbed."""
    path = tmp_path_factory.mktemp("sweep") / "whole.parquet"
    assert sweep(path, *GRID) == 0
    return as_rows(path)


def test_a_row_is_what_engine_run_prints_with_the_same_options(whole, capsys):
    capsys.readouterr()
    row = whole[(whole["depth"] == 2) & (whole["seed"] == 1)].iloc[0]
    main(["run", "--json", "--set", "depth=2", "wait_h2d=off", "--seed", "1", "--steps", "5"])
    expected = figures(json.loads(capsys.readouterr().out))
    assert {name: row[name] for name, value in expected.items() if value is not None} == {
        name: value for name, value in expected.items() if value is not None
    }
    assert row["wait_h2d"] == "off" and row["hazards"] > 0 and row["wall_ms"] > 0
    assert set(COLUMNS) <= set(whole) and any(name.startswith(IDLE) for name in whole)


def test_what_the_table_has_is_not_run_again(tmp_path, whole, monkeypatch, capsys):
    path = tmp_path / "t.parquet"
    assert sweep(path, *GRID[:2], "--seeds", "0:2", *GRID[4:]) == 0
    ran = []
    monkeypatch.setattr(command, "row_of", lambda point: ran.append(point) or row_of(point))
    assert sweep(path, *GRID, "--json") == 0
    assert {point.asked["seed"] for point in ran} == {2} and len(ran) == 2
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["rows"] == 6
    pd.testing.assert_frame_equal(as_rows(path), whole)


row_of = command.row_of


def test_a_configuration_that_cannot_be_is_a_row_with_its_error(tmp_path, capsys):
    path = tmp_path / "t.parquet"
    grid = ["--grid", "depth=0,2", "--grid", "mode=async,no-such", "--grid", "workload=chat,x.json"]
    assert sweep(path, *grid, "--steps", "3", "--no-compute") == 0
    table = pd.read_parquet(path)
    assert len(table) == 8 and table[ERROR].notna().sum() == 7
    good = table[table[ERROR].isna()].iloc[0]
    assert (good["depth"], good["mode"]) == (2, "async") and good["wall_ms"] > 0
    told = " ".join(table[ERROR].dropna())
    assert "depth must be a whole number" in told and "no workload 'x.json'" in told
    assert "7 cannot be run" in capsys.readouterr().out
    assert sweep(path, *grid, "--steps", "3", "--no-compute", "--json") == 0
    assert json.loads(capsys.readouterr().out)["run"] == 0


def test_ctrl_c_leaves_a_whole_table_and_the_next_sweep_goes_on(tmp_path, whole, monkeypatch):
    path, rows = tmp_path / "t.parquet", []

    def interrupted(point):
        if len(rows) == 2:
            raise KeyboardInterrupt
        rows.append(row_of(point))
        return rows[-1]

    monkeypatch.setattr(command, "row_of", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sweep(path, *GRID)
    assert len(pd.read_parquet(path)) == 2 and [p.name for p in tmp_path.iterdir()] == [path.name]
    monkeypatch.setattr(command, "row_of", row_of)
    assert sweep(path, *GRID) == 0
    pd.testing.assert_frame_equal(as_rows(path), whole)


def test_a_killed_sweep_loses_nothing_that_was_written(tmp_path, whole, monkeypatch):
    """What kill -9 leaves: no table, and a journal whose last line is cut off."""
    path, journal = tmp_path / "t.parquet", tmp_path / f"t.parquet{JOURNAL}"
    lines = [json.dumps({k: v for k, v in row.items() if pd.notna(v)}) for row in plain(whole)]
    journal.write_text("\n".join([*lines[:3], lines[3][:50]]))
    ran = []
    monkeypatch.setattr(command, "row_of", lambda point: ran.append(point.key) or row_of(point))
    assert sweep(path, *GRID) == 0
    assert sorted(ran) == sorted(whole[KEY][3:])
    pd.testing.assert_frame_equal(as_rows(path), whole)
    assert not journal.exists()


def plain(table):
    return json.loads(table.to_json(orient="records", double_precision=15))


def test_another_file_is_not_overwritten(tmp_path, capsys):
    path = tmp_path / "t.parquet"
    for content in (b"something else", b"", b"PAR1" + b"x" * 50 + b"PAR1"):
        path.write_bytes(content)
        assert sweep(path, "--steps", "2") == 2
        assert "is no table of a sweep" in capsys.readouterr().err and path.read_bytes() == content


def test_a_worker_killed_in_the_middle_loses_nothing(tmp_path, whole):
    """A real local cluster: each row is there, once, and as it is from one process."""
    path = tmp_path / "t.parquet"
    killed = []

    def kill():
        journal = tmp_path / f"t.parquet{JOURNAL}"
        while not (journal.exists() and journal.stat().st_size):
            time.sleep(0.01)
        worker = multiprocessing.active_children()[0]
        worker.kill()
        killed.append(worker)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    assert sweep(path, *GRID, "--grid", "depth=1,2", jobs="2") == 2  # depth is asked for twice
    assert sweep(path, *GRID, jobs="2") == 0
    thread.join(timeout=60)
    assert killed and not killed[0].is_alive()
    pd.testing.assert_frame_equal(as_rows(path), whole)
