"""From whatever holds a trace to its plain bytes: paths, streams, gzip, zip.

What is packed is unpacked into a temporary file, streamed and capped, and every file is mapped
into memory rather than read, so that neither a small archive nor a long trace can fill the
memory. What the bytes mean is not decided here.
"""

import lzma
import mmap
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple

from traces.readers.progress import Progress, Steps
from traces.schema import TraceError

CHUNK = 1 << 20
PACKED_CHUNK = 1 << 14
"""Small, because what follows a member of a gzip file is copied once a member."""

MAX_BYTES = 2 << 30
"""Default cap on the unpacked size."""

GZIP_MAGIC = b"\x1f\x8b"
ZIP_MAGIC = b"PK\x03\x04"
UTF8_BOM = b"\xef\xbb\xbf"
SNIFFED_BYTES = 1 << 16
ARCHIVE_DEPTH = 3
DAMAGED_ZIP = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
)
"""What `zipfile` raises for bad bytes: its decompressors' errors (bz2: OSError), unknown
methods, encryption, and offsets that point outside the file."""

Source = str | Path | bytes | BinaryIO
Bytes = bytes | mmap.mmap
"""What `re` searches and slices cut, wherever it lies."""


@dataclass
class Content:
    """The unpacked bytes of one file and what was noticed on the way, while it is open."""

    data: Bytes
    path: Path | None = None
    """Where just these bytes lie in a file of the caller's, if they do."""
    warnings: list[str] = field(default_factory=list)
    max_bytes: int = MAX_BYTES
    """The cap, for readers of formats that are packed inside."""
    steps: Steps = field(default_factory=lambda: Steps(None))

    def read_up_to(self, at: int) -> None:
        """Tell whoever listens that the bytes before `at` are read."""
        self.steps.read(at, len(self.data))

    @property
    def head(self) -> bytes:
        """The beginning, without a byte order mark: what a format is recognised by."""
        return self.data[:SNIFFED_BYTES].removeprefix(UTF8_BOM)


@contextmanager
def opened(
    source: Source, max_bytes: int = MAX_BYTES, progress: Progress | None = None
) -> Iterator[Content]:
    """The unpacked bytes of a path, of bytes or of an open binary file.

    gzip (of several members, or cut off) and zip with one entry are unpacked, one inside
    the other too. Raises TraceError for an empty path, a folder, a missing or unreadable
    file, a damaged archive, or more than `max_bytes` unpacked; Stopped for what `progress`
    raises.
    """
    with ExitStack() as stack:
        try:
            content = _content(source, max_bytes, Steps(progress), stack)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            named = source if isinstance(source, str | Path) else "The file"
            raise TraceError(f"{named} cannot be read ({reason}); check the path.") from error
        yield content


def _content(source: Source, max_bytes: int, steps: Steps, stack: ExitStack) -> Content:
    """The unpacked bytes; raises OSError or ValueError too, wherever the system refuses."""
    file = given = _open(source, stack)
    if not file.seekable():  # a pipe
        file = _spool(_chunks(file), max_bytes, stack)
    warnings: list[str] = []
    for _ in range(ARCHIVE_DEPTH):
        magic = _magic(file)
        if magic.startswith(GZIP_MAGIC):
            size = file.seek(0, 2)
            file.seek(0)
            told = Told(steps, file.tell, size)
            file = _spool(_gunzip(file, warnings), max_bytes, stack, told)
        elif magic == ZIP_MAGIC:
            file = _unzip(file, max_bytes, stack, steps)
    path = Path(source) if file is given and isinstance(source, str | Path) else None
    return Content(_mapped(file, max_bytes, stack), path, warnings, max_bytes, steps)


def release(data: Bytes, before: int) -> None:
    """Let the system take back the memory of a mapped file's beginning; it is read again where
    it is wanted again."""
    if isinstance(data, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):  # Linux and macOS
        whole = before // mmap.PAGESIZE * mmap.PAGESIZE
        if whole:
            data.madvise(mmap.MADV_DONTNEED, 0, whole)


def _open(source: Source, stack: ExitStack) -> IO[bytes]:
    if isinstance(source, bytes):
        return BytesIO(source)
    if not isinstance(source, str | Path):
        return source
    if source == "":  # which Path would take for the current folder
        raise TraceError("No file was named; give the path of a trace file.")
    path = Path(source)
    if path.is_dir():
        raise TraceError(f"{path} is a folder; open one trace file inside it.")
    return stack.enter_context(path.open("rb"))


def _magic(file: IO[bytes]) -> bytes:
    file.seek(0)
    magic = file.read(len(ZIP_MAGIC))
    file.seek(0)
    return magic


def _mapped(file: IO[bytes], max_bytes: int, stack: ExitStack) -> Bytes:
    """The bytes of a seekable file: in place where it is in memory already, else mapped."""
    size = file.seek(0, 2)
    file.seek(0)
    check_size(size, max_bytes)
    try:
        number = file.fileno()
    except OSError:
        return file.read()
    if not size:
        return b""
    return stack.enter_context(mmap.mmap(number, size, access=mmap.ACCESS_READ))


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    while chunk := stream.read(CHUNK):
        yield chunk


class Told(NamedTuple):
    """Whom to tell how much is unpacked, where the packed file stands, and its size."""

    steps: Steps
    at: Callable[[], int]
    size: int


def _spool(
    chunks: Iterator[bytes], max_bytes: int, stack: ExitStack, told: Told | None = None
) -> IO[bytes]:
    """The chunks in a temporary file; TraceError as soon as they exceed the cap."""
    file, size = stack.enter_context(tempfile.TemporaryFile(prefix="overlap-lab-")), 0
    for chunk in chunks:
        size += len(chunk)
        check_size(size, max_bytes)
        with _telling_where_it_is_full():
            file.write(chunk)
        if told is not None:
            told.steps.unpacked(told.at(), told.size, size)
    with _telling_where_it_is_full():
        file.flush()
    return file


@contextmanager
def _telling_where_it_is_full() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TraceError(
            f"There is no room to unpack the file in {tempfile.gettempdir()} ({error.strerror}); "
            "make room, or name another folder in TMPDIR."
        ) from error


def check_size(size: int, max_bytes: int) -> None:
    """Raise TraceError for more bytes than the cap."""
    if size > max_bytes:
        raise TraceError(
            f"The file unpacks to more than {max_bytes / 2**20:,.0f} MiB; "
            "record fewer steps, or without Python stacks."
        )


def _gunzip(stream: IO[bytes], warnings: list[str]) -> Iterator[bytes]:
    """The members of a gzip file one after the other; what is whole of a damaged one."""
    inflater = zlib.decompressobj(wbits=31)
    pending = b""
    try:
        while chunk := pending or stream.read(PACKED_CHUNK):
            if inflater.eof:
                if not GZIP_MAGIC.startswith(chunk[:2]):
                    return  # padding after the last member
                inflater = zlib.decompressobj(wbits=31)
            yield inflater.decompress(chunk, CHUNK)
            pending = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
        yield inflater.flush()
    except zlib.error:
        warnings.append("The gzip data is damaged; what comes before the damage is shown.")
        return
    if not inflater.eof:
        warnings.append("The gzip file was cut off; what it still holds is shown.")


def _unzip(file: IO[bytes], max_bytes: int, stack: ExitStack, steps: Steps) -> IO[bytes]:
    """The single entry of a zip file."""
    try:
        with zipfile.ZipFile(file) as archive:
            entries = [e for e in archive.infolist() if not _is_clutter(e)]
            if len(entries) != 1:
                raise TraceError(
                    f"The zip file holds {len(entries)} files; unpack it and open one of them."
                )
            with archive.open(entries[0]) as stream:
                told = Told(steps, stream.tell, entries[0].file_size)
                return _spool(_chunks(stream), max_bytes, stack, told)
    except DAMAGED_ZIP as error:
        raise TraceError(
            "The zip file is damaged or encrypted; unpack it yourself and open the trace."
        ) from error


def _is_clutter(entry: zipfile.ZipInfo) -> bool:
    return entry.is_dir() or entry.filename.startswith("__MACOSX/")
