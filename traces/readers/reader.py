"""Opens a trace file of any readable kind, told apart by its content, never by its name."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from traces.readers.formats import read_content
from traces.readers.merge import merged
from traces.readers.progress import Progress, Stopped, of_several
from traces.readers.source import MAX_BYTES, Source, opened
from traces.schema import Trace, TraceError


def open_trace(
    source: Source,
    name: str = "",
    max_bytes: int = MAX_BYTES,
    progress: Progress | None = None,
) -> Trace:
    """Read a trace from a path, bytes or an open binary file.

    Reads every format of `formats`, plain, gzip or zip; damaged and cut-off files as far as
    they go, with what was lost in `meta["skipped"]` and `meta["warnings"]`, and
    `meta["cut_off"]` where the end is missing. `name` is only noted (`meta["name"]`) and plays
    no part in reading. `max_bytes` caps the unpacked size, and what is made of texts that stand
    for many rows; very long names keep their beginning (see `span_table`).
    `progress(done, in_all)` is called now and then with bytes, of a share that only grows; what
    it raises ends the reading and is raised here. Raises TraceError, one sentence that says what
    the file is and what to do, for everything else.
    """
    try:
        with opened(source, max_bytes, progress) as content:
            trace = read_content(content)
            content.read_up_to(len(content.data))
    except Stopped as stopped:
        raise stopped.reason from None
    if name:
        trace.meta["name"] = name
    return trace


def read_traces(
    sources: Sequence[Source],
    names: Sequence[str] = (),
    max_bytes: int = MAX_BYTES,
    progress: Progress | None = None,
) -> Trace:
    """Read several files of one run, such as those of its ranks, as one trace on one clock.

    `names` (as many as sources, or none) label those that tell no rank; `max_bytes` caps the
    unpacked size of each; `progress` is that of `open_trace`, over all files. A single file is
    returned as `open_trace` reads it. Raises ValueError for no source, and TraceError as
    `open_trace` does, for the first file that cannot be read, with its name where there are others.
    """
    if not sources:
        raise ValueError("no trace was named")
    labels = names or [""] * len(sources)
    traces = []
    for number, (source, name) in enumerate(zip(sources, labels, strict=True)):
        with named(name if len(sources) > 1 else ""):
            part = of_several(progress, number, len(sources))
            traces.append(open_trace(source, name, max_bytes, part))
    return traces[0] if len(traces) == 1 else merged(traces)


@contextmanager
def named(name: str) -> Iterator[None]:
    """Put a file's name before the sentence of a TraceError inside the block, unless it has it."""
    try:
        yield
    except TraceError as error:
        if not name or name in str(error):
            raise
        raise TraceError(f"{name}: {error}") from error
