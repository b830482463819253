"""Where a result goes: said before the work whether it has a place, put there whole or not at
all, afterwards told how large it is.

For the command lines of `traces`, `engine` and `lessons`.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from traces.schema import TraceError

FORMULA = ("=", "+", "-", "@")
"""A spreadsheet takes text that begins so for a formula (OWASP, CSV injection)."""


def check_place(path: str | Path) -> None:
    """Raise TraceError where no file can be written at `path`. Nothing there is changed."""
    target = Path(path)
    is_new = not os.path.lexists(target)
    with writing(target):
        with target.open("ab"):
            pass
        if is_new:
            target.unlink()


@contextmanager
def writing(path: str | Path) -> Iterator[None]:
    """Say which file it is that cannot be written: an OSError within becomes a TraceError."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise TraceError(f"{Path(path)} cannot be written ({reason}); check the path.") from error


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A place beside `path` to write to; what is there in the end takes the place of `path`.

    Whatever goes wrong before, a full disk too, what was at `path` is still there, whole. A link
    stays one, and what is no file, such as a pipe or /dev/stdout, is written to as it is.
    """
    target = Path(os.path.realpath(path))
    if os.path.lexists(target) and not target.is_file():
        yield target
        return
    folder = tempfile.mkdtemp(prefix=".", suffix=".part", dir=target.parent)
    part = Path(folder) / target.name  # what writes may go by the ending
    try:
        yield part
        if target.is_file():
            part.chmod(target.stat().st_mode & 0o777)
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)
        os.rmdir(folder)


def write_whole(path: str | Path, data: bytes | str) -> None:
    """Write a file as `replacing` does; text as UTF-8, with its line ends as they are."""
    with replacing(path) as part:
        part.write_bytes(data.encode() if isinstance(data, str) else data)


def confirmed(path: str | Path) -> str:
    """What is told of a file that has just been written: its name and its size."""
    return f"wrote {path} ({Path(path).stat().st_size / 1e3:,.1f} kB)"


def no_formula(text: str) -> str:
    """Text of a table, with an apostrophe before it where a spreadsheet would compute it."""
    return f"'{text}" if text.lstrip().startswith(FORMULA) else text
