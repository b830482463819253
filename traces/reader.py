"""Opens a trace file of any readable kind, told apart by its content, never by its name."""

from traces.chrome_text import ChromeText
from traces.chrome_trace import chrome_trace
from traces.dump_reader import DumpReader, dump_header
from traces.refusals import NO_EVENTS, refuse_unreadable
from traces.schema import Trace, TraceError
from traces.source import MAX_BYTES, Source, read_source


def open_trace(source: Source, name: str = "", max_bytes: int = MAX_BYTES) -> Trace:
    """Read a trace from a path, bytes or an open binary file.

    Reads this project's dumps without loss, Chrome Trace Event JSON (array and object
    form) and PyTorch profiler files old and new, plain, gzip or zip; damaged and cut-off
    files as far as they go, with what was lost in `meta["skipped"]` and
    `meta["warnings"]`, and `meta["cut_off"]` where the end is missing. `name` is only noted
    (`meta["name"]`) and plays no part in reading. `max_bytes` caps the unpacked size. Raises
    TraceError, one sentence that says what the file is and what to do, for everything else.
    """
    text, warnings = read_source(source, max_bytes)
    refuse_unreadable(text)
    chrome = ChromeText(text)
    if not chrome.found:
        raise TraceError(NO_EVENTS)
    header = dump_header(chrome)
    trace = DumpReader(header).read(chrome, warnings) if header else chrome_trace(chrome, warnings)
    if name:
        trace.meta["name"] = name
    return trace
