"""Launch edges of a foreign trace: each device operation and the call with its correlation id.

Such an id is unique in one process alone. In a file of several, such as the ranks of a run that
were merged by hand, an operation's own process decides, and where that is not known nobody can say
whose call it was.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from traces.copy_calls import COPY_CALL
from traces.readers.span_table import categorical
from traces.schema import FLOW_DEFAULTS, GPU_KINDS, HOST, NONE

CALL_KINDS = frozenset({"launch", "sync", "runtime"})
UNKNOWN = ""
"""The process of an operation of which that is not known."""

Int64s = NDArray[np.int64]


def correlation_flows(spans: pd.DataFrame, process: "pd.Series[str]") -> pd.DataFrame:
    """Launch edges. One call may have many operations (a CUDA graph); of several calls of a process
    with the same id a launch is preferred, then the earliest.

    `process` says whose each span is, as `processes` does. An operation of an unknown one is bound
    where the calls with its id that can have work are of one process.
    """
    rows = spans.loc[spans["correlation"] > 0, ["correlation", "device", "kind", "name"]]
    if rows.empty:
        return no_edges()
    whose = process.loc[rows.index]
    owner, names = pd.factorize(whose)
    number = pd.factorize(rows["correlation"])[0]
    key = number * len(names) + owner
    calls, ops = _calls(rows), _operations(rows)
    called, first = np.unique(key[calls], return_index=True)
    only = _only(key[calls[can_have_work(rows.iloc[calls])]], len(names), number)
    asked = np.where((whose == UNKNOWN).to_numpy()[ops], only[number[ops]], key[ops])
    is_known = np.isin(asked, called)
    call = calls[first[called.searchsorted(asked[is_known])]]
    span = rows.index.to_numpy()
    edges = pd.DataFrame({"src": span[call], "dst": span[ops[is_known]]}, dtype=np.int64)
    return edges.assign(kind="launch")


def processes(spans: pd.DataFrame) -> "pd.Series[str]":
    """Whose each span is: of a host span its `pid`, and of a device's where a call has the same.
    Kineto has the device's number there, which is no process."""
    codes, names = pd.factorize(spans["pid"])
    calls = np.isin(np.arange(len(names)), codes[_calls(spans)])
    devices = spans["device"].to_numpy()
    numbers = np.array([int(n) if n.isdecimal() and len(n) < 9 else NONE for n in names], np.int64)
    known = (devices == HOST) | (calls[codes] & (numbers[codes] != devices))
    whose = categorical([*names, UNKNOWN], np.where(known, codes, len(names)))
    return pd.Series(whose, index=spans.index)


def can_have_work(calls: pd.DataFrame) -> NDArray[np.bool_]:
    """Which calls may stand behind an operation: all but those that only wait."""
    waits = (calls["kind"] == "sync").to_numpy(copy=True)
    waits[waits] = [COPY_CALL not in name for name in calls["name"][waits]]
    return ~waits


def no_edges() -> pd.DataFrame:
    """A table of flows without any."""
    empty = pd.DataFrame(columns=list(FLOW_DEFAULTS), dtype=object)
    return empty.astype({"src": "int64", "dst": "int64"})


def _calls(rows: pd.DataFrame) -> Int64s:
    """The places of all calls, launches first."""
    on_host = (rows["device"] == HOST).to_numpy()
    calls = np.flatnonzero(on_host & rows["kind"].isin(CALL_KINDS).to_numpy())
    is_launch = (rows["kind"] == "launch").to_numpy()
    return calls[np.argsort(~is_launch[calls], kind="stable")]


def _operations(rows: pd.DataFrame) -> Int64s:
    on_gpu = (rows["device"] != HOST).to_numpy()
    return np.flatnonzero(on_gpu & rows["kind"].isin(GPU_KINDS).to_numpy())


def _only(working: Int64s, owners: int, number: Int64s) -> Int64s:
    """For each correlation id by its number the key of the one process whose calls can have the
    work; NONE where there are none or several."""
    keys, _ = np.unique(working, return_index=True)  # sorts: faster than what it does without
    ids, at, count = np.unique(keys // owners, return_index=True, return_counts=True)
    only = np.full(int(number.max()) + 1, NONE, dtype=np.int64)
    only[ids[count == 1]] = keys[at[count == 1]]
    return only
