"""Reads tables of an SQLite file that nobody vouches for: read-only, immutable, with limits.

Only real tables are read: a view or a virtual table could compute for ever. What the file
means is not known here.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

from traces.readers.progress import Rows
from traces.readers.source import Content
from traces.schema import TraceError

SIGNATURE = b"SQLite format 3\x00"
DAMAGE = (sqlite3.Error, UnicodeDecodeError)
"""What bad bytes raise; the latter where SQLite's own complaint quotes them."""

MAX_ROWS = 20_000_000
MAX_VALUE_BYTES = 16 << 20


class Tables:
    """The tables of an open database. `damaged` names those that could not be read to their
    end."""

    def __init__(self, connection: sqlite3.Connection, content: Content) -> None:
        self._connection = connection
        self._rows_left = MAX_ROWS
        self.damaged: set[str] = set()
        names = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"
        )
        self.columns = {name: self._columns_of(name) for (name,) in names.fetchall()}
        """Table name -> names of its columns."""
        rows = sum(map(self._rows_of, self.columns))
        self._progress = Rows(content.read_up_to, len(content.data), rows)

    def _columns_of(self, table: str) -> frozenset[str]:
        query = "SELECT name FROM pragma_table_info(?)"
        return frozenset(name for (name,) in self._connection.execute(query, (table,)))

    def _rows_of(self, table: str) -> int:
        """About how many rows a table has, without counting them; 0 where that is not told."""
        try:
            last = self._connection.execute(f'SELECT max(rowid) FROM "{table}"').fetchone()[0]
        except DAMAGE:  # damaged, or a table without row numbers
            return 0
        return min(max(last or 0, 0), MAX_ROWS)

    def rows(self, table: str, *columns: str) -> Iterator[tuple[Any, ...]]:
        """These columns of every row: None for a column that the file lacks, and no rows at all
        for a table that it lacks. Raises TraceError after `MAX_ROWS` rows in all."""
        known = self.columns.get(table)
        if known is None:
            return
        picked = ", ".join(f'"{name}"' if name in known else "NULL" for name in columns)
        try:
            for row in self._connection.execute(f'SELECT {picked} FROM "{table}"'):
                self._rows_left -= 1
                if self._rows_left < 0:
                    raise TraceError(
                        f"The database holds more than {MAX_ROWS:,} events; export a part of it, "
                        "for example with `nsys export --times`."
                    )
                self._progress.one_more()
                yield row
        except DAMAGE:
            self.damaged.add(table)


@contextmanager
def open_tables(content: Content) -> Iterator[Tables]:
    """The tables of a database file, never written to. Raises TraceError if it is damaged."""
    try:
        connection = _connect(content)
        try:
            connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
            connection.execute("PRAGMA query_only = ON")
            connection.execute("PRAGMA trusted_schema = OFF")
            yield Tables(connection, content)
        finally:
            connection.close()
    except DAMAGE as error:
        reason = " ".join(str(error).split())
        raise TraceError(
            f"The SQLite database is damaged ({reason}); export or copy it again."
        ) from error


def _connect(content: Content) -> sqlite3.Connection:
    """The file itself where there is one, else a copy of the bytes in memory."""
    if content.path is not None:
        name = quote(str(content.path.resolve()))
        return sqlite3.connect(f"file:{name}?mode=ro&immutable=1", uri=True)
    connection = sqlite3.connect(":memory:")
    connection.deserialize(content.data)
    return connection
