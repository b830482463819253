"""The table of a sweep: a Parquet file, and beside it the rows that are not in it yet.

Parquet cannot be added to. So each row is written at once to a journal, a line of JSON, and
`close` puts table and journal together into a new table that takes the old one's place. Whatever
ends a sweep, the next one finds every row that was written. One sweep at a time has a table: a
lock that ends with its process says so to the others.
"""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import IO

import pandas as pd
from filelock import FileLock, Timeout

from engine.config import ConfigError
from engine.sweep.journal import as_plain, is_torn, journal_rows
from engine.sweep.reading import read_table, typed
from engine.sweep.row import COLUMNS, IDLE, KEY, Row
from traces.output import check_place, replacing

JOURNAL, LOCK = ".rows", ".lock"


class Table:
    """The table at `path`, to be closed: closing folds. `damaged` lines of its journal were left
    out. Raises ConfigError where something else lies there or another sweep is writing to it,
    and OSError or TraceError where it cannot be written."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.journal = path.with_name(path.name + JOURNAL)
        self._file: IO[str] | None = None
        self._lock = _locked(path)
        try:
            check_place(path)
            self._old = set(self._read()[KEY])
            self._rows, self.damaged = journal_rows(self.journal)
        except BaseException:
            self._unlock()
            raise

    @property
    def known(self) -> set[str]:
        """The keys of all rows."""
        return {*self._old, *self._rows}

    def __len__(self) -> int:
        return len(self.known)

    def add(self, row: Row) -> None:
        """Write a row down; it is safe when this returns."""
        if self._file is None:
            torn = is_torn(self.journal)
            self._file = self.journal.open("a", encoding="utf-8", newline="\n")
            self._file.write("\n" if torn else "")
        row = as_plain(row)
        self._file.write(json.dumps(row) + "\n")
        self._file.flush()
        self._rows[row[KEY]] = row

    def close(self) -> None:
        """Fold the journal into the table that is there now, and let others have it."""
        try:
            if self._file is not None:
                self._file.close()
            if self._rows:
                self._fold()
        finally:
            self._unlock()

    def _fold(self) -> None:
        table = pd.concat([self._read(), _framed(list(self._rows.values()))], ignore_index=True)
        table = typed(table.drop_duplicates(KEY, keep="last"))
        with replacing(self._path) as part:
            table.to_parquet(part, index=False)
        self.journal.unlink(missing_ok=True)

    def _read(self) -> pd.DataFrame:
        return read_table(self._path, str(self._path)) if self._path.exists() else _framed([])

    def _unlock(self) -> None:
        with suppress(OSError):  # Windows keeps what is open; there the lock removes its file
            os.unlink(self._lock.lock_file)
        self._lock.release()


def _locked(path: Path) -> FileLock:
    target = os.path.realpath(path)  # a link and what it leads to are one table
    lock = FileLock(target + LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise ConfigError(
            f"another sweep is writing to {path}: wait for its end, or name another file with -o"
        ) from None
    return lock


def _framed(rows: list[Row]) -> pd.DataFrame:
    return typed(pd.DataFrame(rows, columns=list(dict.fromkeys([*COLUMNS, *_names(rows)]))))


def _names(rows: list[Row]) -> list[str]:
    return sorted({name for row in rows for name in row if name.startswith(IDLE)})
