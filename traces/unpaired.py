"""Launch calls without an operation, and operations without a call.

Most often the other half was not recorded. Where processes share a file and their correlation ids,
both may be there, and only nobody can say which belong together.
"""

from typing import NamedTuple

import pandas as pd

from traces.schema import HOST, NONE, Trace


class Unpaired(NamedTuple):
    """Of the launch `calls` that a correlation id could bind to operations those that are `lost`:
    their operations were not recorded. `unclear` are the span ids of operations without a launch
    whose correlation id a launch call has that is without operations."""

    calls: pd.DataFrame
    lost: pd.DataFrame
    unclear: "pd.Index[int]"


def unpaired(trace: Trace) -> Unpaired:
    """What of a trace has no other half."""
    spans = trace.spans
    launches = trace.flows[trace.flows["kind"] == "launch"]
    is_call = (spans["kind"] == "launch") & (spans["device"] == HOST)
    calls = spans[is_call & (spans["correlation"] != NONE)]
    without_work = calls[~calls.index.isin(launches["src"])]
    ops = trace.gpu_spans()
    ops = ops[(ops["correlation"] > 0) & ~ops.index.isin(launches["dst"])]
    ops = ops[ops["correlation"].isin(without_work["correlation"])]
    lost = without_work[~without_work["correlation"].isin(ops["correlation"])]
    return Unpaired(calls, lost, ops.index)
