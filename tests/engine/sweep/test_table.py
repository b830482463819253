"""The table of a sweep and its journal, whoever writes to them and whatever is in them."""

import json

import pandas as pd
import pytest

from engine.cli import main
from engine.config import ConfigError
from engine.sweep.journal import journal_rows
from engine.sweep.table import JOURNAL, LOCK, Table

DAMAGED = [
    '{"run": [1]}', '{"run": {}}', '{"run": 5}', '{"run": null}', '{"run": true}', "[]", "5",
    '{"mode": "async"}', '{"run": "x", "seed": 1e400}', '{"run": "x", "seed": "abc"}',
    '{"run": "x", "seed": 99999999999999999999}', '{"run": "x", "seed": true}',
    '{"run": "x", "wall_ms": 99999999999999999999}', '{"run": "x", "mode": 5}',
    '{"run": "x", "compute": 1}', '{"run": "x\\ud800"}', '{"run": "x", "idle_ms z\\ud800": 1}',
    '{"run": "x", "idle_ms z": "q"}', '{"run": "x", "idle_ms z": true}',
    '{"run": "x", "no such column": 1}', '{"run": "x", "mo', "[" * 100_000, "\udcff", "NaN",
]  # fmt: skip

IMPOSSIBLE = ["--mode", "no-such", "--steps", "2"]  # a row with its error, without a run


def sweep(path, *arguments):
    return main(["sweep", "-o", str(path), "--jobs", "1", *arguments])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "t.parquet"


def test_a_second_sweep_is_refused_while_one_has_the_table_and_no_row_is_lost(path, capsys):
    link = path.with_name("link.parquet")
    link.symlink_to(path.name)
    first = Table(path)
    first.add({"run": "a"})
    for name in (path, link):
        assert sweep(name, *IMPOSSIBLE) == 2
        told = capsys.readouterr().err
        assert f"another sweep is writing to {name}" in told and told.count("\n") == 1
    first.add({"run": "b"})
    first.close()
    assert sweep(link, *IMPOSSIBLE) == 0 and link.is_symlink()
    assert len(pd.read_parquet(path)) == 3
    assert {file.name for file in path.parent.iterdir()} == {path.name, link.name}


def test_a_table_that_has_changed_meanwhile_is_added_to(path):
    other = path.with_name("other.parquet")
    table = Table(path)
    meanwhile = Table(other)
    meanwhile.add({"run": "meanwhile"})
    meanwhile.close()
    other.replace(path)
    table.add({"run": "after"})
    table.close()
    assert set(pd.read_parquet(path)["run"]) == {"meanwhile", "after"}


def test_what_a_killed_or_refused_sweep_leaves_stops_nobody(path):
    path.with_name(path.name + LOCK).touch()
    path.write_bytes(b"no table")
    with pytest.raises(ConfigError, match="is no table"):
        Table(path)
    path.unlink()
    table = Table(path)
    table.add({"run": "a"})
    table.close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_line_cut_off_anywhere_takes_no_other_row_with_it(path, monkeypatch):
    monkeypatch.setattr(Table, "_fold", lambda table: None)  # each sweep is killed
    whole = json.dumps({"run": "torn", "seed": 1}) + "\n"
    journal = path.with_name(path.name + JOURNAL)
    for cut in (0, 1, len(whole) // 2, len(whole) - 1, len(whole)):
        journal.write_text(whole[:cut])
        table = Table(path)
        table.add({"run": "first"})
        table.add({"run": "second"})
        table.close()
        rows, damaged = journal_rows(journal)
        assert {"first", "second"} <= set(rows) <= {"first", "second", "torn"}
        assert damaged == (0 < cut < len(whole) - 1) and ("torn" in rows) == (cut >= len(whole) - 1)


def test_damaged_lines_are_left_out_and_told_and_the_sweep_goes_on(path, capsys):
    journal = path.with_name(path.name + JOURNAL)
    good = '{"run": "good", "seed": 3, "jitter": 1, "idle_ms z": 2, "error": null}'
    lines = "\n".join([*DAMAGED, "", good, ""])
    journal.write_bytes(lines.encode("utf-8", "surrogateescape"))
    assert sweep(path, *IMPOSSIBLE, "--seeds", "0:3") == 0
    told = capsys.readouterr().err
    assert f"{len(DAMAGED)} lines of {journal}" in told and "Traceback" not in told
    table = pd.read_parquet(path)
    assert len(table) == 4 and {*table["seed"]} == {0, 1, 2, 3} and not journal.exists()


@pytest.mark.parametrize("line", DAMAGED)
def test_each_kind_of_damage_is_seen(path, line):
    path.write_bytes(line.encode("utf-8", "surrogateescape"))
    assert journal_rows(path) == ({}, 1)


def test_what_no_table_can_hold_is_a_row_with_its_error(path, capsys):
    grid = ["depth=" + ",".join(["9" * 20, "9" * 5000, "-1"]), "cost=\udcff,chat"]
    asked = ["--seed", "9" * 20, "--grid", grid[0], "--grid", grid[1], "--json"]
    for run in (6, 0):  # the second time every row is known
        assert sweep(path, *asked) == 0
        told = json.loads(capsys.readouterr().out)
        assert told == {"asked": 6, "run": run, "errors": run, "lost": [], "rows": 6}
    table = pd.read_parquet(path)
    assert table["error"].notna().all() and table["seed"].isna().all()
    assert {*table["cost"]} == {"\\udcff", "chat"}
