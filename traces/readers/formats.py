"""The formats that can be read, as data: how each is recognised, and its reader.

A file is recognised by how it begins, never by its name; the first row that fits reads it. A new
format is a file with its reader and a row here.
"""

from collections.abc import Callable
from typing import NamedTuple

from traces.readers.chrome_text import ChromeText
from traces.readers.chrome_trace import chrome_trace
from traces.readers.dump_reader import DumpReader, dump_header
from traces.readers.nsight_reader import read_nsight
from traces.readers.perfetto_reader import is_perfetto, read_perfetto
from traces.readers.plain_csv_reader import is_plain_csv, read_plain_csv
from traces.readers.refusals import NO_EVENTS, refusal_of_unknown, refuse_known
from traces.readers.rocprof_csv_reader import is_rocprof_csv, read_rocprof_csv
from traces.readers.rocprof_json_reader import is_rocprof_json, read_rocprof_json
from traces.readers.source import Content
from traces.readers.sqlite_tables import SIGNATURE
from traces.schema import NoTraceError, Trace

JSON = (b"{", b"[")


class Format(NamedTuple):
    """A row: what the format is called, whether a file that begins so is of it, its reader."""

    name: str
    fits: Callable[[bytes], bool]
    read: Callable[[Content], Trace]


def read_chrome(content: Content) -> Trace:
    """Chrome Trace Event JSON, whoever wrote it: our dumps without loss, all others by the rules
    of the format. Raises TraceError if there are no events."""
    chrome = ChromeText(content)
    if not chrome.found:
        raise NoTraceError(NO_EVENTS)
    if header := dump_header(chrome):
        return DumpReader(header).read(chrome, content.warnings)
    return chrome_trace(chrome, content.warnings)


FORMATS = (
    Format("Nsight Systems SQLite export", lambda head: head.startswith(SIGNATURE), read_nsight),
    Format("Perfetto protobuf", is_perfetto, read_perfetto),
    Format("rocprofv3 JSON", is_rocprof_json, read_rocprof_json),
    Format("rocprofv3 CSV", is_rocprof_csv, read_rocprof_csv),
    Format("plain CSV", is_plain_csv, read_plain_csv),
    Format("Chrome trace JSON", lambda head: head.lstrip()[:1] in JSON, read_chrome),
)


def read_content(content: Content) -> Trace:
    """The trace in a file of any format. Raises TraceError, one sentence that says what the file
    is and what to do, where it is of none."""
    head = content.head
    refuse_known(head)
    for row in FORMATS:
        if row.fits(head):
            return row.read(content)
    raise refusal_of_unknown(head)
