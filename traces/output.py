"""Where a result goes: said before the work whether it has a place, afterwards how large it is.

For the command lines of `traces` and `engine`.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from traces.schema import TraceError


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


def confirmed(path: str | Path) -> str:
    """What is told of a file that has just been written: its name and its size."""
    return f"wrote {path} ({Path(path).stat().st_size / 1e3:,.1f} kB)"
