"""The journal of a sweep's table: its newest rows, a line of JSON each.

A process that is killed leaves a line cut off, a full disk or an editor anything at all. So a line
is taken only where every value is what its column holds; the runs of the others are run again.
"""

import json
from pathlib import Path
from typing import Any

from engine.sweep.row import COLUMNS, IDLE, KEY, Row

LARGEST = 2**63
"""Whole numbers of a table lie below it, and not below its negative."""

KINDS: dict[type, tuple[type, ...]] = {
    int: (int,), float: (float, int), bool: (bool,), str: (str,),
}  # fmt: skip
"""What JSON may hold for what a column holds."""


def journal_rows(path: Path) -> tuple[dict[str, Row], int]:
    """The rows of a journal by their keys, and how many of its lines are none."""
    rows: dict[str, Row] = {}
    damaged = 0
    for line in path.read_bytes().split(b"\n") if path.is_file() else []:
        row = _row(line)
        if row is not None:
            rows[row[KEY]] = row
        elif line.strip():
            damaged += 1
    return rows, damaged


def is_torn(path: Path) -> bool:
    """Whether the journal's last line was cut off: what is added would continue it."""
    content = path.read_bytes() if path.is_file() else b""
    return bool(content) and not content.endswith(b"\n")


def as_plain(row: Row) -> Row:
    """A row as a file can hold it. Text that is not Unicode, such as the name of a file in
    another encoding, is written with escapes."""
    return {name: _plain(value) for name, value in row.items()}


def _plain(value: object) -> object:
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def _row(line: bytes) -> Row | None:
    try:
        row: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict) or row.get(KEY) is None:
        return None
    fits = all(_fits(name, value) for name, value in row.items())
    return row if fits else None


def _fits(name: str, value: object) -> bool:
    kind = float if name.startswith(IDLE) else COLUMNS.get(name)
    if kind is None or not _is_unicode(name):
        return False
    if value is None:
        return True
    if not isinstance(value, KINDS[kind]) or isinstance(value, bool) != (kind is bool):
        return False
    if isinstance(value, int):
        return -LARGEST <= value < LARGEST
    return not isinstance(value, str) or _is_unicode(value)


def _is_unicode(text: str) -> bool:
    """Whether there is no half of a surrogate pair in it, which no file can hold."""
    return text == _plain(text)
