"""The table of a sweep: a Parquet file, and beside it the rows that are not in it yet.

Parquet cannot be added to. So each row is written at once to a journal, a line of JSON, and
`fold` puts table and journal together into a new table that takes the old one's place. Whatever
ends a sweep, the next one finds every row that was written.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pandas as pd

from engine.sweep.reading import read_table, typed
from engine.sweep.row import COLUMNS, IDLE, KEY, Row
from traces.output import replacing

JOURNAL = ".rows"


class Table:
    """The table at `path`, to be closed: closing folds. Raises ConfigError where something else
    lies there, and OSError where it cannot be written."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._journal = path.with_name(path.name + JOURNAL)
        self._old = read_table(path, str(path)) if path.exists() else _framed([])
        rows = {row[KEY]: row for row in _journal_rows(self._journal)}
        self._rows: dict[str, Row] = rows
        self._file: IO[str] | None = None

    @property
    def known(self) -> set[str]:
        """The keys of all rows."""
        return {*self._old[KEY], *self._rows}

    def __len__(self) -> int:
        return len(self.known)

    def add(self, row: Row) -> None:
        """Write a row down; it is safe when this returns."""
        if self._file is None:
            self._file = self._opened()
        self._file.write(json.dumps(row) + "\n")
        self._file.flush()
        self._rows[row[KEY]] = row

    def _opened(self) -> IO[str]:
        """The journal, to be added to; a line that was cut off is not continued."""
        torn = self._journal.is_file() and not self._journal.read_bytes().endswith((b"\n", b""))
        file = self._journal.open("a", encoding="utf-8", newline="\n")
        file.write("\n" if torn else "")
        return file

    def close(self) -> None:
        """Fold the journal into the table, unless there is nothing to fold."""
        if self._file is not None:
            self._file.close()
        if not self._rows:
            return
        table = pd.concat([self._old, _framed(list(self._rows.values()))], ignore_index=True)
        table = typed(table.drop_duplicates(KEY, keep="last"))
        with replacing(self._path) as part:
            table.to_parquet(part, index=False)
        self._journal.unlink(missing_ok=True)


def _journal_rows(path: Path) -> Iterator[Row]:
    """The whole lines of a journal; the last one may be cut off."""
    if not path.is_file():
        return
    for line in path.read_bytes().split(b"\n"):
        try:
            row: Any = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and KEY in row:
            yield row


def _framed(rows: list[Row]) -> pd.DataFrame:
    return typed(pd.DataFrame(rows, columns=list(dict.fromkeys([*COLUMNS, *_names(rows)]))))


def _names(rows: list[Row]) -> list[str]:
    return sorted({name for row in rows for name in row if name.startswith(IDLE)})
