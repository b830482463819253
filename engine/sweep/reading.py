"""Reads a sweep's table that may come from anybody: bounds first, then the columns that are known.

A small Parquet file can unpack to very much, for values that repeat are written once. So rows,
columns, bytes and the length of all text are counted before anything is unpacked to it.
"""

from io import BytesIO
from pathlib import Path

import pandas as pd
import pyarrow
import pyarrow.compute
from pyarrow import types
from pyarrow.parquet import ParquetFile

from engine.config import ConfigError
from engine.sweep.grid import MOST_RUNS
from engine.sweep.row import COLUMNS, IDLE

MOST_COLUMNS = 400
MOST_BYTES = 256 << 20

IS_KIND = {
    int: types.is_integer, float: types.is_floating, bool: types.is_boolean,
    str: lambda kind: types.is_string(kind) or types.is_large_string(kind),
}  # fmt: skip
DTYPES = {int: "Int64", float: "float64", str: "str", bool: "boolean"}


def read_table(source: Path | bytes, name: str) -> pd.DataFrame:
    """The table in a file or in its bytes, `name` for the reader. Raises ConfigError with one
    sentence where it is no table of a sweep, or too large."""
    try:
        with ParquetFile(_opened(source), read_dictionary=_texts(source)) as file:
            _check_size(file, name)
            table = file.read(columns=_names(file.schema_arrow))
            _check_text(table, name)
            return typed(table.to_pandas(ignore_metadata=True))
    except (
        pyarrow.ArrowException,
        ValueError,
        OSError,
        KeyError,
        TypeError,
        OverflowError,
    ) as error:
        if isinstance(error, ConfigError):
            raise
        raise ConfigError(
            f"{name} is no table of a sweep: name another file, or delete it"
        ) from None


def typed(table: pd.DataFrame) -> pd.DataFrame:
    """Every column as what it holds. A cause that a run did not have took it no time."""
    causes = sorted(str(name) for name in table if str(name).startswith(IDLE))
    kinds = {name: DTYPES[kind] for name, kind in COLUMNS.items()}
    table = table[[*COLUMNS, *causes]].astype(kinds | dict.fromkeys(causes, "float64"))
    ran = table["wall_ms"].notna()
    for cause in causes:
        table[cause] = table[cause].where(table[cause].notna() | ~ran, 0.0)
    return table


def _opened(source: Path | bytes) -> Path | BytesIO:
    return BytesIO(source) if isinstance(source, bytes) else source


def _texts(source: Path | bytes) -> list[str]:
    """The columns of text, which are read as they are packed: each value once."""
    with ParquetFile(_opened(source)) as file:
        return [field.name for field in file.schema_arrow if IS_KIND[str](field.type)]


def _names(schema: pyarrow.Schema) -> list[str]:
    """The columns to read. Raises ValueError where one is missing or holds something else."""
    kinds = COLUMNS | {name: float for name in schema.names if name.startswith(IDLE)}
    for name, kind in kinds.items():
        found = schema.field(name).type
        found = found.value_type if types.is_dictionary(found) else found
        if not (IS_KIND[kind](found) or types.is_null(found)):
            raise ValueError(name)
    return list(kinds)


def _check_size(file: ParquetFile, name: str) -> None:
    meta = file.metadata
    size = sum(meta.row_group(number).total_byte_size for number in range(meta.num_row_groups))
    if meta.num_rows > MOST_RUNS or meta.num_columns > MOST_COLUMNS or size > MOST_BYTES:
        raise ConfigError(
            f"{name} is too large: at most {MOST_RUNS:,} rows of {MOST_COLUMNS} columns are read"
        )


def _check_text(table: pyarrow.Table, name: str) -> None:
    """Raise ConfigError where the text would take more than MOST_BYTES unpacked."""
    size = 0
    for column in table.columns:
        for chunk in column.chunks if types.is_dictionary(column.type) else []:
            lengths = pyarrow.compute.binary_length(chunk.dictionary)
            size += pyarrow.compute.sum(lengths.take(chunk.indices)).as_py() or 0
    if size > MOST_BYTES:
        raise ConfigError(f"{name} is too large: its text takes more than {MOST_BYTES >> 20} MiB")
