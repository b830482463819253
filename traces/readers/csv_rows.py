"""Rows of a table in comma-, semicolon- or tab-separated text, streamed."""

import csv
from collections.abc import Iterator
from io import BytesIO

from traces.readers.source import CHUNK, UTF8_BOM, Content

SEPARATORS = ",;\t"


def header_of(head: bytes) -> list[str]:
    """The column names in the first line of a file; [] where that is no table's."""
    line = head.lstrip().split(b"\n", 1)[0].decode("utf-8", "replace").strip()
    separator = separator_of(line)
    if separator not in line:
        return []
    try:
        return [name.strip() for name in next(csv.reader([line], delimiter=separator), [])]
    except csv.Error:
        return []


def separator_of(line: str) -> str:
    """The separator that a header uses most."""
    return max(SEPARATORS, key=line.count)


def csv_rows(content: Content) -> Iterator[dict[str, str] | None]:
    """Each row as column name -> text; None for a row that cannot be read. Rows may be short:
    what is missing is missing in the dict."""
    names = header_of(content.head)
    lines = _lines(content)
    first = next(lines, "")
    reader = csv.reader(lines, delimiter=separator_of(first))
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield None
            continue
        if row:
            yield dict(zip(names, (value.strip() for value in row), strict=False))


def _lines(content: Content) -> Iterator[str]:
    data = content.data
    stream = BytesIO(data) if isinstance(data, bytes) else data
    is_first = True
    told = at = 0
    for line in iter(stream.readline, b""):
        at += len(line)
        if at - told >= CHUNK:
            content.read_up_to(told := at)
        line = line.removeprefix(UTF8_BOM) if is_first else line
        if is_first and not line.strip():
            continue  # blank lines before the header
        is_first = False
        yield line.decode("utf-8", "replace")
