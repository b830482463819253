"""Waits that cannot have been for anything in the trace: their devices had nothing left to do.

A synchronise returns microseconds after the last work it waits for. One that goes on for long while
every device of its process is idle waited for work that was not recorded. This module only says
when; what that means is `gap_rules`'s.
"""

from functools import cache

import pandas as pd

from traces import intervals
from traces.activity import span_union
from traces.copy_calls import COPY_CALL
from traces.schema import Trace

LONG_NS = 1_000_000
"""Nobody wakes up this late; in the public files it is 22 µs at most."""


def idle_waits(trace: Trace, host: pd.DataFrame) -> dict[int, int]:
    """For each such wait among the host spans the time (ns) from which on nothing was left that it
    could wait for: its beginning, or the end of the last work on its process's devices. Calls that
    wait and copy are left out: they may be busy with that, on the host."""
    long = host[(host["kind"] == "sync") & (host["dur_ns"] >= LONG_NS)]
    long = long[~long["name"].astype(str).str.contains(COPY_CALL)]
    found = {}
    busy_of = cache(lambda pid: _busy(trace, pid))
    columns = (long[name].tolist() for name in ("pid", "ts_ns", "dur_ns"))
    for span, pid, start, length in zip(long.index.tolist(), *columns, strict=True):
        end, busy = start + length, busy_of(pid)
        before = int(busy[:, 0].searchsorted(end)) - 1
        since = max(start, int(busy[before, 1])) if before >= 0 else end
        if end - since >= LONG_NS:
            found[span] = since
    return found


def _busy(trace: Trace, pid: str) -> intervals.Intervals:
    """When the devices worked on which the process launched anything."""
    launches = trace.flows[trace.flows["kind"] == "launch"]
    own = (trace.spans["pid"].loc[launches["src"]] == pid).to_numpy()
    devices = trace.spans["device"].loc[launches["dst"][own]].unique()
    work = trace.gpu_spans()
    return span_union(work[work["device"].isin(devices)])
