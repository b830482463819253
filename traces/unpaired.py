"""Launch calls without an operation, and operations without a call.

Most often the other half was not recorded. Where processes share a file and their correlation ids,
both may be there, and only nobody can say which belong together.
"""

import pandas as pd

from traces.schema import HOST, NONE, Trace


def unclear_operations(trace: Trace) -> "pd.Index[int]":
    """The span ids of operations without a launch whose correlation id a launch call has that is
    without operations."""
    ops = trace.gpu_spans()
    ops = ops[(ops["correlation"] > 0) & ~ops.index.isin(_launches(trace)["dst"])]
    return ops.index[ops["correlation"].isin(_without_work(trace)["correlation"])]


def lost_launches(trace: Trace) -> pd.DataFrame:
    """The launch calls whose operations were not recorded."""
    calls = _without_work(trace)
    unclear = trace.spans["correlation"].loc[unclear_operations(trace)]
    return calls[~calls["correlation"].isin(unclear)]


def launch_calls(trace: Trace) -> pd.DataFrame:
    """The launch calls that a correlation id could bind to operations."""
    spans = trace.spans
    is_call = (spans["kind"] == "launch") & (spans["device"] == HOST)
    return spans[is_call & (spans["correlation"] != NONE)]


def _without_work(trace: Trace) -> pd.DataFrame:
    calls = launch_calls(trace)
    return calls[~calls.index.isin(_launches(trace)["src"])]


def _launches(trace: Trace) -> pd.DataFrame:
    return trace.flows[trace.flows["kind"] == "launch"]
