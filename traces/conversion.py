"""Writes any trace that can be read as Chrome JSON, or its spans as a Parquet table."""

import os
from pathlib import Path

import msgspec
import pandas as pd

from traces.chrome_writer import write_trace
from traces.output import check_place, replacing, writing
from traces.schema import NONE, Trace, TraceError

CHROME = (".json", ".json.gz")
PARQUET = ".parquet"
OUT_HELP = (
    ".json or .json.gz: Chrome JSON, which opens again; .parquet: a table of the spans, for pandas "
    "or SQL, which does not"
)


def convert(trace: Trace, path: str | Path) -> None:
    """Write `trace` in the format that the name's ending says.

    Chrome JSON holds everything and is read back without loss. Parquet holds the spans, one a
    row in order of their ids, with `launched_by` (span id of the launch, -1 for none) and `args`
    as JSON text; counters and other flows are left out. Raises TraceError as `check_target` does,
    and where the disk is full.
    """
    check_target(path)
    write = _write_parquet if os.fspath(path).endswith(PARQUET) else write_trace
    with writing(path):
        write(trace, path)


def check_target(path: str | Path) -> None:
    """Raise TraceError where `convert` could not write: another ending than those of `OUT_HELP`,
    or a place that is no file or closed to us. Nothing there is changed."""
    if not os.fspath(path).endswith((*CHROME, PARQUET)):
        raise TraceError(
            f"{Path(path).name} has no ending that says the format: give it .json, .json.gz "
            "or .parquet."
        )
    check_place(path)


def _write_parquet(trace: Trace, path: str | Path) -> None:
    launches = trace.flows[trace.flows["kind"] == "launch"].drop_duplicates("dst")
    launched_by = launches.set_index("dst")["src"].reindex(trace.spans.index, fill_value=NONE)
    with replacing(path) as part:
        table = trace.spans.assign(args=_texts(trace), launched_by=launched_by)
        table.to_parquet(part, index=False)


def _texts(trace: Trace) -> pd.Series:
    """The args of each span as JSON text, missing where there are none."""
    args = trace.spans["args"]
    texts = [None if one is None else msgspec.json.encode(one).decode() for one in args]
    return pd.Series(texts, args.index, dtype="str")
