"""Flow edges of a foreign trace: launches by correlation id, arrows by where they point.

A Chrome flow event names a thread and an instant, not a span; it means the innermost
span that is open there, or (for arrow heads without `bp: "e"`) the next one to start.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from traces.schema import FLOW_DEFAULTS, GPU_KINDS, HOST, NONE

CALL_KINDS = frozenset({"launch", "sync", "runtime"})
LOOK_BACK = 256
"""So many spans before the instant are looked at for one that is still open."""


class FlowPoint(NamedTuple):
    """One end of an arrow: the flow it belongs to, its thread, time and binding."""

    flow: tuple[Hashable, ...]
    """Category, name and id."""
    pid: str
    tid: str
    ts_ns: int
    to_next: bool


def correlation_flows(spans: pd.DataFrame, key: Sequence[str] = ("correlation",)) -> pd.DataFrame:
    """Launch edges: each GPU operation and the host call with its correlation id.

    One call may have many operations (a CUDA graph). Where several calls carry the same
    id, a launch is preferred, then the earliest. `key` names the columns that make an id:
    with "pid", ids of different processes are different.
    """
    rows = spans.loc[spans["correlation"] > 0, list({*key, "device", "kind"})]
    if rows.empty:
        return _no_edges()
    ids = rows.groupby(list(key), sort=False).ngroup().to_numpy()
    span, on_host = rows.index.to_numpy(), (rows["device"] == HOST).to_numpy()
    calls = (on_host & rows["kind"].isin(CALL_KINDS).to_numpy()).nonzero()[0]
    is_launch = (rows["kind"] == "launch").to_numpy()
    calls = calls[np.argsort(~is_launch[calls], kind="stable")]
    called, first = np.unique(ids[calls], return_index=True)
    call_of = np.full(len(rows), NONE, dtype=np.int64)
    call_of[called] = span[calls[first]]
    gpu = (~on_host & rows["kind"].isin(GPU_KINDS).to_numpy()).nonzero()[0]
    edges = pd.DataFrame({"src": call_of[ids[gpu]], "dst": span[gpu]})
    return edges[edges["src"] != NONE].assign(kind="launch").reset_index(drop=True)


def _no_edges() -> pd.DataFrame:
    empty = pd.DataFrame(columns=list(FLOW_DEFAULTS), dtype=object)
    return empty.astype({"src": "int64", "dst": "int64"})


def bound_flows(points: Iterable[FlowPoint], spans: pd.DataFrame) -> pd.DataFrame:
    """Edges between the spans that consecutive points of each flow bind to."""
    points = list(points)
    if not points:
        return _no_edges()
    chains: dict[Hashable, list[FlowPoint]] = defaultdict(list)
    for point in points:
        chains[point.flow].append(point)
    threads = {key: _Thread(rows) for key, rows in spans.groupby(["pid", "tid"], sort=False)}
    edges: set[tuple[int, int]] = set()
    for chain in chains.values():
        chain.sort(key=lambda point: point.ts_ns)
        bound = [
            threads[p.pid, p.tid].span_at(p) if (p.pid, p.tid) in threads else NONE for p in chain
        ]
        edges |= {(a, b) for a, b in zip(bound, bound[1:], strict=False) if NONE not in (a, b)}
    on_gpu = spans["kind"].isin(GPU_KINDS).to_numpy()
    rows = [(a, b, "launch" if on_gpu[b] and not on_gpu[a] else "other") for a, b in sorted(edges)]
    return pd.DataFrame(rows, columns=list(FLOW_DEFAULTS), dtype=object).astype(
        {"src": "int64", "dst": "int64"}
    )


class _Thread:
    """The spans of one thread, in trace order."""

    def __init__(self, spans: pd.DataFrame) -> None:
        self._ids = spans.index.to_numpy()
        self._starts = spans["ts_ns"].to_numpy()
        self._ends = self._starts + spans["dur_ns"].to_numpy()

    def span_at(self, point: FlowPoint) -> int:
        """The span id that a flow point binds to, or NONE."""
        behind = int(self._starts.searchsorted(point.ts_ns, side="right"))
        following = int(self._starts.searchsorted(point.ts_ns, side="left"))
        if point.to_next and following < len(self._ids):
            return int(self._ids[following])
        for at in range(behind - 1, max(behind - LOOK_BACK, 0) - 1, -1):
            if self._ends[at] >= point.ts_ns:
                return int(self._ids[at])
        return NONE
