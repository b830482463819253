"""Which operation of one stream waited for which of another, where the profiler recorded it.

Kineto notes a stream's wait with the call that recorded the event (`cuda_sync`, off by default).
What the wait is for is the work enqueued before that call on the stream it names; what waits is
the next work enqueued behind the wait.
"""

from collections import defaultdict

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from traces.readers.kineto import number
from traces.schema import BUSY_HOST_KINDS, HOST

STREAM_WAIT = "Stream Wait Event"
ON_STREAM, RECORDED_BY = "wait_on_stream", "wait_on_cuda_event_record_corr_id"

Lane = tuple[int, int]
"""(device, stream)"""


def event_flows(spans: pd.DataFrame, launches: pd.DataFrame) -> pd.DataFrame:
    """Edges of kind "event" between the operations of two streams; `launches` are the flows from
    calls to operations, whose order is the order of the streams."""
    waits = spans[(spans["name"] == STREAM_WAIT) & (spans["kind"] == "annotation")]
    if waits.empty or launches.empty:
        return launches.iloc[:0]
    host = spans[(spans["device"] == HOST) & spans["kind"].isin(BUSY_HOST_KINDS)]
    calls = host[host["correlation"] > 0].drop_duplicates(["pid", "correlation"])
    calls = calls[~calls["correlation"].duplicated(keep=False)]  # of several processes: not told
    called = dict(zip(calls["correlation"].tolist(), calls["ts_ns"].tolist(), strict=True))
    queues = _queues(spans, launches)
    edges = []
    columns = (waits[name].tolist() for name in ("device", "stream", "correlation", "args"))
    for device, stream, correlation, args in zip(*columns, strict=True):
        recorded = called.get((args or {}).get(RECORDED_BY))
        waited = called.get(correlation)
        source = queues.get((device, number((args or {}).get(ON_STREAM))))
        target = queues.get((device, stream))
        if recorded is None or waited is None or source is None or target is None:
            continue
        before = int(source[0].searchsorted(recorded)) - 1
        behind = int(target[0].searchsorted(waited))
        if before >= 0 and behind < len(target[1]):
            edges.append((int(source[1][before]), int(target[1][behind])))
    flows = pd.DataFrame(sorted(set(edges)), columns=["src", "dst"], dtype=np.int64)
    return flows.assign(kind="event")


def _queues(
    spans: pd.DataFrame, launches: pd.DataFrame
) -> dict[Lane, tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """For each stream when its operations were launched (ns, ascending), and which they are."""
    queues: dict[Lane, list[tuple[int, int]]] = defaultdict(list)
    starts, device, stream = (spans[name].to_numpy() for name in ("ts_ns", "device", "stream"))
    for call, op in zip(launches["src"].tolist(), launches["dst"].tolist(), strict=True):
        queues[int(device[op]), int(stream[op])].append((int(starts[call]), op))
    found = {}
    for lane, rows in queues.items():
        times, ops = np.array(sorted(rows), dtype=np.int64).T
        found[lane] = (times, ops)
    return found
