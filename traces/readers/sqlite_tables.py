"""Reads tables of an SQLite file that nobody vouches for: read-only, immutable, with limits.

Only real tables are read: a view or a virtual table could compute for ever. A schema that says
otherwise ends at a limit of work, and many rows of one long text at a limit of text. What the
file means is not known here.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

from traces.readers.progress import Rows
from traces.readers.source import Content, check_size
from traces.readers.span_table import LONGEST_NAME, cut
from traces.schema import TraceError

SIGNATURE = b"SQLite format 3\x00"
DAMAGE = (sqlite3.Error, UnicodeDecodeError)
"""What bad bytes raise; the latter where SQLite's own complaint quotes them."""

MAX_ROWS = 20_000_000
MAX_VALUE_BYTES = 16 << 20

STEPS_AT_ONCE = 10_000
"""Steps of SQLite's machine between two looks at how many there were: some 0.1 ms."""

FREE_STEPS, STEPS_A_BYTE = 5_000_000, 32
"""What reading may cost: a row takes some ten steps a column, and is some bytes long."""

ROW_NUMBERS = ("rowid", "oid", "_rowid_")
"""What SQLite calls the number of a row, unless a column of that name stands in the way."""

TOO_MUCH_WORK = (
    "The SQLite database asks for more work than its size can hold; export it again with "
    "`nsys export --type sqlite`."
)


class Tables:
    """The tables of an open database. `damaged` names those that could not be read to their
    end. Raises TraceError where they ask for more work or hold more text than a file may."""

    def __init__(self, connection: sqlite3.Connection, content: Content) -> None:
        self._connection = connection
        self._rows_left = MAX_ROWS
        self._steps_left = FREE_STEPS + STEPS_A_BYTE * len(content.data)
        self._max_bytes = content.max_bytes
        self._text_bytes = 0
        self._texts: dict[str, str] = {}
        connection.set_progress_handler(self._is_too_much, STEPS_AT_ONCE)
        connection.text_factory = self._text
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
            taken = {name.lower() for name in self.columns[table]}
            number = next(name for name in ROW_NUMBERS if name not in taken)
            query = f"SELECT max({number}) FROM {_quoted(table)}"
            last = self._connection.execute(query).fetchone()[0]
        except (StopIteration, *DAMAGE) as error:  # damaged, or a table without row numbers
            self._refuse_work(error)
            return 0
        return min(max(last, 0), MAX_ROWS) if isinstance(last, int) else 0

    def rows(self, table: str, *columns: str) -> Iterator[tuple[Any, ...]]:
        """These columns of every row: None for a column that the file lacks, and no rows at all
        for a table that it lacks. Raises TraceError after `MAX_ROWS` rows in all."""
        known = self.columns.get(table)
        if known is None:
            return
        picked = ", ".join(_value(name) if name in known else "NULL" for name in columns)
        try:
            for row in self._connection.execute(f"SELECT {picked} FROM {_quoted(table)}"):
                self._rows_left -= 1
                if self._rows_left < 0:
                    raise TraceError(
                        f"The database holds more than {MAX_ROWS:,} events; export a part of it, "
                        "for example with `nsys export --times`."
                    )
                self._progress.one_more()
                yield row
        except DAMAGE as error:
            self._refuse_work(error)
            self.damaged.add(table)

    def _text(self, raw: bytes) -> str:
        """Equal texts as one, and of long ones the beginning: a column's default may stand in
        every row."""
        self._text_bytes += len(raw)
        check_size(self._text_bytes, self._max_bytes)
        text = cut(raw.decode("utf-8", "replace"), LONGEST_NAME)
        return self._texts.setdefault(text, text)

    def _is_too_much(self) -> bool:
        self._steps_left -= STEPS_AT_ONCE
        return self._steps_left < 0

    def _refuse_work(self, error: Exception) -> None:
        if self._steps_left < 0:
            raise TraceError(TOO_MUCH_WORK) from error


def _quoted(name: str) -> str:
    """A name in SQL, whatever stands in it."""
    return '"' + name.replace('"', '""') + '"'


def _value(column: str) -> str:
    """A column without bytes that are no text, which nothing here reads."""
    return f"iif(typeof({_quoted(column)}) = 'blob', NULL, {_quoted(column)})"


@contextmanager
def open_tables(content: Content) -> Iterator[Tables]:
    """The tables of a database file, never written to. Raises TraceError if it is damaged."""
    try:
        connection = _connect(content)
        try:
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
