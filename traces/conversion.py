"""Writes any trace that can be read as Chrome JSON, or its spans as a Parquet table."""

import os
from pathlib import Path

import msgspec

from traces.chrome_writer import write_trace
from traces.schema import NONE, Trace, TraceError

CHROME = (".json", ".json.gz")
PARQUET = ".parquet"
OUT_HELP = ".json or .json.gz: Chrome JSON; .parquet: a table of the spans"


def convert(trace: Trace, path: str | Path) -> None:
    """Write `trace` in the format that the name's ending says.

    Chrome JSON holds everything and is read back without loss. Parquet holds the spans, one a
    row in order of their ids, with `launched_by` (span id of the launch, -1 for none) and `args`
    as JSON text; counters and other flows are left out. Raises TraceError for another ending and
    where the file cannot be written.
    """
    name = os.fspath(path)
    try:
        if name.endswith(CHROME):
            write_trace(trace, path)
        elif name.endswith(PARQUET):
            _write_parquet(trace, path)
        else:
            raise TraceError(
                f"{Path(path).name} has no ending that says the format: give it .json, .json.gz "
                "or .parquet."
            )
    except OSError as error:
        raise TraceError(f"{Path(path).name} cannot be written: {error.strerror}.") from error


def _write_parquet(trace: Trace, path: str | Path) -> None:
    launches = trace.flows[trace.flows["kind"] == "launch"].drop_duplicates("dst")
    launched_by = launches.set_index("dst")["src"].reindex(trace.spans.index, fill_value=NONE)
    args = trace.spans["args"].map(_as_text, na_action="ignore")
    trace.spans.assign(args=args, launched_by=launched_by).to_parquet(path, index=False)


def _as_text(args: object) -> str:
    return msgspec.json.encode(args).decode()
