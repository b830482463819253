"""Files that are no readable trace, told apart by content and refused in one sentence.

Each sentence says what the file is and what to do. What passes here starts like a
Chrome trace; whether it holds events shows when it is read.
"""

import re

from traces.schema import TraceError

READABLE = "PyTorch profiler and Chrome traces (.json, .json.gz) can be opened"

SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (
        b"NVIDIA Tegra Profiler Report",
        "This is an Nsight Systems report, which only NVIDIA's own tools can read; "
        "`nsys export --type sqlite` converts it, but the SQLite export is not read yet either, "
        "so record with torch.profiler and open its .json.gz.",
    ),
    (
        b"SQLite format 3\x00",
        "This is an SQLite database such as an Nsight Systems or rocprof export, which is not "
        "read yet; record with torch.profiler and open its .json.gz.",
    ),
    (b"\x89HDF\r\n", f"This is an HDF5 file; only {READABLE}."),
    (b"PAR1", f"This is a Parquet file; only {READABLE}."),
    (b"7z\xbc\xaf\x27\x1c", "This is a 7z archive; unpack it and open the trace inside."),
    (b"\xfd7zXZ", "This is an xz archive; unpack it and open the trace inside."),
    (b"\x28\xb5\x2f\xfd", "This is a zstd archive; unpack it and open the trace inside."),
    (b"BZh", "This is a bzip2 archive; unpack it and open the trace inside."),
    (
        b"\x80",
        "This is a Python pickle such as a memory snapshot, which is never opened for safety; "
        f"{READABLE}.",
    ),
    (
        b"\x0a",
        "This looks like a protobuf trace (Perfetto or XLA), which is not read; export it as "
        "Chrome JSON and open that.",
    ),
)

JSON_OTHERS: tuple[tuple[bytes, str], ...] = (
    (
        rb'\A\{.*"(\$schema|exporter)"\s*:\s*"[^"]*speedscope',
        "This is speedscope's own format, which is not read; export a Chrome trace instead.",
    ),
    (
        rb'\A\{\s*"schema"\s*:.*"nodes"\s*:',
        "This is an execution graph (Chakra or PyTorch observer) without a timeline; record a "
        "torch.profiler trace of the same steps.",
    ),
    (
        rb'\A\{\s*"rocprofiler-sdk-tool"',
        "This is a rocprofv3 JSON file, which is not read yet; record with torch.profiler and "
        "open its .json.gz.",
    ),
    (
        rb"\A\[\s*[\[\d]",
        "This is a list of numbers such as a memory timeline, not a trace; open the "
        "torch.profiler trace recorded with it.",
    ),
)

NO_EVENTS = f"This JSON file holds no trace events; {READABLE}."
SNIFFED_BYTES = 1 << 16


def refuse_unreadable(data: bytes) -> None:
    """Raise TraceError unless the bytes start like JSON that may hold trace events."""
    head = data[:SNIFFED_BYTES].lstrip()
    if not head:
        raise TraceError("The file is empty; record the trace again.")
    if head[:1] in (b"{", b"["):
        for pattern, sentence in JSON_OTHERS:
            if re.match(pattern, head, re.DOTALL) and b'"traceEvents"' not in head:
                raise TraceError(sentence)
        return
    for signature, sentence in SIGNATURES:
        if data.startswith(signature) and _is_binary(signature, head):
            raise TraceError(sentence)
    first_line = head.split(b"\n", 1)[0]
    if not _is_text(head):
        raise TraceError(f"This binary file is in no format known here; {READABLE}.")
    if first_line.count(b",") >= 2:
        raise TraceError(
            "This is a CSV table (rocprof writes such files), which is not read yet; record with "
            "torch.profiler and open its .json.gz."
        )
    raise TraceError(f"This is a text file, not a trace; {READABLE}.")


def _is_binary(signature: bytes, head: bytes) -> bool:
    """One-byte signatures count only before bytes that no text holds."""
    return len(signature) > 1 or not _is_text(head)


def _is_text(head: bytes) -> bool:
    return re.search(rb"[\x00-\x08\x0e-\x1f]", head) is None
