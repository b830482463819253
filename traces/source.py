"""From whatever holds a trace to its plain bytes: paths, streams, gzip, zip.

Decompression is streamed and capped, so a small archive cannot fill the memory. What
the bytes mean is not decided here.
"""

import io
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, BinaryIO

from traces.schema import TraceError

CHUNK = 1 << 20
MAX_BYTES = 2 << 30
"""Default cap on the unpacked size."""

GZIP_MAGIC = b"\x1f\x8b"
ZIP_MAGIC = b"PK\x03\x04"
UTF8_BOM = b"\xef\xbb\xbf"
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


def read_source(source: Source, max_bytes: int = MAX_BYTES) -> tuple[bytes, list[str]]:
    """The unpacked bytes of a path, of bytes or of an open binary file, and warnings.

    gzip (of several members, or cut off) and zip with one entry are unpacked, one inside
    the other too. Raises TraceError for an empty path, a folder, a missing or unreadable
    file, a damaged archive, or more than `max_bytes` unpacked.
    """
    warnings: list[str] = []
    if isinstance(source, bytes):
        data = _capped(_chunks(io.BytesIO(source)), max_bytes)
    elif isinstance(source, str | Path):
        data = _read_path(source, max_bytes)
    else:
        data = _capped(_chunks(source), max_bytes)
    for _ in range(ARCHIVE_DEPTH):
        if data.startswith(GZIP_MAGIC):
            data = _capped(_gunzip(io.BytesIO(data), warnings), max_bytes)
        elif data.startswith(ZIP_MAGIC):
            data = _unzip(data, max_bytes)
    return data.removeprefix(UTF8_BOM), warnings


def _read_path(source: str | Path, max_bytes: int) -> bytes:
    if source == "":  # which Path would take for the current folder
        raise TraceError("No file was named; give the path of a trace file.")
    path = Path(source)
    if path.is_dir():
        raise TraceError(f"{path} is a folder; open one trace file inside it.")
    try:
        with path.open("rb") as stream:
            return _capped(_chunks(stream), max_bytes)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TraceError(f"{path} cannot be read ({reason}); check the path.") from error


def _chunks(stream: BinaryIO | IO[bytes]) -> Iterator[bytes]:
    while chunk := stream.read(CHUNK):
        yield chunk


def _capped(chunks: Iterator[bytes], max_bytes: int) -> bytes:
    """The chunks in one piece; TraceError as soon as they exceed the cap."""
    parts, size = [], 0
    for chunk in chunks:
        size += len(chunk)
        if size > max_bytes:
            raise TraceError(
                f"The file unpacks to more than {max_bytes / 2**20:,.0f} MiB; "
                "record fewer steps, or without Python stacks."
            )
        parts.append(chunk)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _gunzip(stream: BinaryIO, warnings: list[str]) -> Iterator[bytes]:
    """The members of a gzip file one after the other; what is whole of a damaged one."""
    inflater = zlib.decompressobj(wbits=31)
    pending = b""
    try:
        while chunk := pending or stream.read(CHUNK):
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


def _unzip(data: bytes, max_bytes: int) -> bytes:
    """The single entry of a zip file."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [e for e in archive.infolist() if not _is_clutter(e)]
            if len(entries) != 1:
                raise TraceError(
                    f"The zip file holds {len(entries)} files; unpack it and open one of them."
                )
            with archive.open(entries[0]) as stream:
                return _capped(_chunks(stream), max_bytes)
    except DAMAGED_ZIP as error:
        raise TraceError(
            "The zip file is damaged or encrypted; unpack it yourself and open the trace."
        ) from error


def _is_clutter(entry: zipfile.ZipInfo) -> bool:
    return entry.is_dir() or entry.filename.startswith("__MACOSX/")
