"""Flow edges of a foreign trace by the arrows that a file draws.

A Chrome flow event names a thread and an instant, not a span; it means the innermost
span that is open there, or (for arrow heads without `bp: "e"`) the next one to start.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable
from typing import NamedTuple

import pandas as pd

from traces.readers.correlation import no_edges
from traces.schema import FLOW_DEFAULTS, GPU_KINDS, NONE

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


def bound_flows(points: Iterable[FlowPoint], spans: pd.DataFrame) -> pd.DataFrame:
    """Edges between the spans that consecutive points of each flow bind to."""
    points = list(points)
    if not points:
        return no_edges()
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
