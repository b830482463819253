"""What nobody's exporter writes into an SQLite file costs no more than the file's size allows."""

import sqlite3
import time
import tracemalloc

import pytest

from tests.traces.readers.nsight_files import kernel, tables, write
from traces.readers import sqlite_tables
from traces.readers.reader import open_trace
from traces.schema import TraceError

KERNEL = "CUPTI_ACTIVITY_KIND_KERNEL"
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT x FROM c"


@pytest.fixture
def changed(tmp_path):
    """A small export after statements of SQL."""

    def change(*statements):
        path = write(tmp_path / "export.sqlite", tables(**{KERNEL: [kernel(1, 5), kernel(6, 9)]}))
        with sqlite3.connect(path) as connection:
            for statement in statements:
                connection.execute(statement)
        connection.close()
        return path

    return change


@pytest.mark.parametrize("name", [f'Z", ({ENDLESS}) --', 'a"b', '"', "a'b", "x]", "a;b", "ä\n"])
def test_a_tables_name_is_no_sql(changed, name):
    path = changed("CREATE TABLE {} (a)".format('"' + name.replace('"', '""') + '"'))
    start = time.process_time()
    assert len(open_trace(path).spans) == 2
    assert time.process_time() - start < 10


@pytest.mark.parametrize("columns", [("rowid",), ("ROWID", "oid"), ("rowid", "oid", "_rowid_")])
@pytest.mark.parametrize("value", ["'abc'", "x'00'", "1e300", "NULL"])
def test_a_column_called_like_the_number_of_a_row_is_a_column(changed, columns, value):
    path = changed(
        f"CREATE TABLE more ({', '.join(columns)})",
        f"INSERT INTO more VALUES ({', '.join([value] * len(columns))})",
    )
    assert len(open_trace(path).spans) == 2


def test_views_and_tables_without_row_numbers_are_no_obstacle(changed):
    path = changed(
        "ALTER TABLE StringIds RENAME TO old",
        "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT) WITHOUT ROWID",
        "INSERT INTO StringIds SELECT id, value FROM old",
        f"CREATE VIEW NVTX_EVENTS AS {ENDLESS}",
        f'CREATE VIEW "TARGET_INFO_GPU" AS SELECT 1 AS id, ({ENDLESS}) AS name',
    )
    assert open_trace(path).spans["name"].tolist() == ["gemm<float>"] * 2


def test_a_view_that_says_it_is_a_table_ends_in_one_sentence(changed):
    path = changed(
        "CREATE TABLE NVTX_EVENTS (start, text)",
        "PRAGMA writable_schema = ON",
        f"UPDATE sqlite_master SET sql = 'CREATE VIEW NVTX_EVENTS AS SELECT x AS start, 1 AS text "
        f"FROM ({ENDLESS})' WHERE name = 'NVTX_EVENTS'",
    )
    start = time.process_time()
    with pytest.raises(TraceError, match="SQLite"):
        open_trace(path)
    assert time.process_time() - start < 10


def test_the_limit_of_work_is_told_and_no_honest_file_reaches_it(changed, monkeypatch):
    path = changed(f"INSERT INTO {KERNEL} SELECT k.* FROM {KERNEL} k, ({ENDLESS} LIMIT 10000)")
    monkeypatch.setattr(sqlite_tables, "FREE_STEPS", 0)
    assert len(open_trace(path).spans) == 20_002
    monkeypatch.setattr(sqlite_tables, "STEPS_A_BYTE", 0)
    with pytest.raises(TraceError, match="more work"):
        open_trace(path)


@pytest.mark.parametrize("kind", ["'{}'", "x'{}'"])
def test_a_default_that_stands_in_every_row_is_held_once(changed, kind):
    default = kind.format("ab" * 100_000)
    path = changed(
        "DROP TABLE StringIds",
        "CREATE TABLE StringIds (id INTEGER PRIMARY KEY)",
        f"INSERT INTO StringIds {ENDLESS} LIMIT 2000",
        f"ALTER TABLE StringIds ADD COLUMN value TEXT DEFAULT {default}",
    )
    tracemalloc.start()
    assert len(open_trace(path).spans) == 2
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 << 20
    if kind == "'{}'":
        with pytest.raises(TraceError, match="more than 16 MiB"):
            open_trace(path, max_bytes=16 << 20)
