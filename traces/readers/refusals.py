"""Files that are no readable trace, told apart by content and refused in one sentence.

Each sentence says what the file is and what to do. What can be read is listed in `formats`.
"""

import re

from traces.readers.csv_rows import header_of
from traces.schema import NoTraceError, TraceError

READABLE = (
    "PyTorch, JAX and VizTracer profiles and other Chrome traces, Nsight Systems SQLite exports, "
    "rocprofv3 and Perfetto files and CSV tables of spans can be opened"
)

EXPORT_SQLITE = "of an Nsight Systems report, open the export that `--type sqlite` gives"

SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (
        b"NVIDIA Tegra Profiler Report",
        "This is an Nsight Systems report, which only NVIDIA's own tools can read; convert it "
        "with `nsys export --type sqlite --force-overwrite=true -o out.sqlite report.nsys-rep` "
        "(of the version that recorded it, or a newer one) and open out.sqlite.",
    ),
    (b"\x89HDF\r\n", f"This is an HDF5 file, which is not read; {EXPORT_SQLITE}."),
    (
        b"PAR1",
        "This is a Parquet table, which is not read: one of `traces convert` holds spans alone, "
        "for pandas or SQL (open the trace that it was made from), one of `engine sweep` opens on "
        f"the Sweep page, and {EXPORT_SQLITE}.",
    ),
    (b"7z\xbc\xaf\x27\x1c", "This is a 7z archive; unpack it and open the trace inside."),
    (b"\xfd7zXZ", "This is an xz archive; unpack it and open the trace inside."),
    (b"\x28\xb5\x2f\xfd", "This is a zstd archive; unpack it and open the trace inside."),
    (b"BZh", "This is a bzip2 archive; unpack it and open the trace inside."),
    (
        b"\x80",
        "This is a Python pickle such as a memory snapshot, which is never opened for safety; "
        f"{READABLE}.",
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
        rb'\A\{.*"(CudaEvent|NvtxEvent|TraceProcessEvent)"\s*:\s*\{',
        "This is the JSON-lines export of an Nsight Systems report, whose layout changes from "
        "version to version; use `nsys export --type sqlite`.",
    ),
    (
        rb"\A\[\s*[\[\d]",
        "This is a list of numbers such as a memory timeline, not a trace; open the "
        "torch.profiler trace recorded with it.",
    ),
)

LONGEST_NAME = 40
"""More characters than a column of a table has in its name."""

NO_EVENTS = f"This file holds no trace events; {READABLE}."


def refuse_known(head: bytes) -> None:
    """Raise TraceError if the file begins like one that is known and cannot be read."""
    text = head.lstrip()
    if not text:
        raise NoTraceError("The file is empty; record the trace again.")
    if text[:1] in (b"{", b"["):
        for pattern, sentence in JSON_OTHERS:
            if re.match(pattern, text, re.DOTALL) and b'"traceEvents"' not in head:
                raise TraceError(sentence)
    for signature, sentence in SIGNATURES:
        if head.startswith(signature) and _is_binary(signature, head):
            raise TraceError(sentence)


def refusal_of_unknown(head: bytes) -> NoTraceError:
    """What to say of a file in no format that is known here."""
    if not is_text(head) and head.startswith(b"\x0a"):
        return NoTraceError(
            "This looks like a protobuf file such as an XLA profile (.xplane.pb), which is not "
            "read; open the .trace.json.gz that lies beside it."
        )
    if not is_text(head):
        return NoTraceError(f"This binary file is in no format known here; {READABLE}.")
    if _is_table(head):
        return NoTraceError(
            "This is a CSV table, but neither one of rocprofv3's traces nor a table of spans with "
            "the columns name, start, duration and track (units in the header: start_us)."
        )
    return NoTraceError(f"This is a text file, not a trace; {READABLE}.")


def _is_table(head: bytes) -> bool:
    """Whether text begins like a table: some names, and as many cells in the row below. A line of
    prose or code may have commas, too."""
    names = header_of(head)
    _, _, below = head.lstrip().partition(b"\n")
    as_many = not below.strip() or len(header_of(below.split(b"\n", 1)[0])) == len(names)
    return len(names) > 2 and as_many and all(len(name) <= LONGEST_NAME for name in names)


def _is_binary(signature: bytes, head: bytes) -> bool:
    """One-byte signatures count only before bytes that no text holds."""
    return len(signature) > 1 or not is_text(head)


def is_text(head: bytes) -> bool:
    """Whether bytes hold no control characters that no text has."""
    return re.search(rb"[\x00-\x08\x0e-\x1f]", head) is None
