"""Opens a trace file of any readable kind, told apart by its content, never by its name."""

from traces.formats import read_content
from traces.schema import Trace
from traces.source import MAX_BYTES, Source, opened


def open_trace(source: Source, name: str = "", max_bytes: int = MAX_BYTES) -> Trace:
    """Read a trace from a path, bytes or an open binary file.

    Reads every format of `formats`, plain, gzip or zip; damaged and cut-off files as far as
    they go, with what was lost in `meta["skipped"]` and `meta["warnings"]`, and
    `meta["cut_off"]` where the end is missing. `name` is only noted (`meta["name"]`) and plays
    no part in reading. `max_bytes` caps the unpacked size. Raises TraceError, one sentence that
    says what the file is and what to do, for everything else.
    """
    with opened(source, max_bytes) as content:
        trace = read_content(content)
    if name:
        trace.meta["name"] = name
    return trace
