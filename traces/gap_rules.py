"""Causes of the gaps of a trace from another profiler: simple rules, honest about doubt.

A foreign trace records launches but not what an operation waited for. So the one hard
fact is whether the next operation was launched before the gap began (then the host is
not to blame) or after it (then the host was late, and its thread's self time says why).
Only the launching thread is ever blamed. Where events are missing the cause is "cannot
tell".
"""

import pandas as pd

from traces.activity import span_union
from traces.copy_calls import BLOCKING, STAGING, copy_calls
from traces.gap import LATENCY, NO_LAUNCH, UNTRACED, GapPart, Ledger
from traces.idle_waits import idle_waits
from traces.schema import NONE, Trace
from traces.self_time import Timeline, self_time
from traces.unpaired import unpaired

SHORT_NS = 10_000
"""Gaps below this are the ordinary distance between two launches, not worth a cause."""

SHORT = "short gaps (under 10 µs)"
LATE_START_NS = 1_000_000
"""No launch takes this long to reach an idle device; something unrecorded held it up."""

LATE_START = "cannot tell (started long after its launch)"
SLOW_LAUNCH = "slow launch call"
"""Of a call that itself takes as long. With an idle device no queue is full: it loads or compiles
its kernel, or stands behind another thread in the driver."""

QUEUED = "queued in time (device or other stream)"
EVENTS_MISSING = "cannot tell (GPU events missing)"

SHARED_IDS = "cannot tell (launched by one of several processes)"
"""Their calls have the same correlation ids, and the file does not say whose operation it is."""

LAUNCHING = "launch calls"
KIND_CAUSES = {"launch": LAUNCHING, "op": "CPU operators", "python": "Python code"}
DATA_LOADING = "data loading"
"""PyTorch's loader fetching a batch, which `enumerate(DataLoader)` annotates."""

LOADER = "enumerate(DataLoader)"
SCALAR_READS = ("aten::item", "aten::_local_scalar_dense", "aten::nonzero", "aten::is_nonzero")
COPIES = ("aten::copy_", "aten::to", "aten::_to_copy")


class LaunchRules:
    """Explains the gaps of one trace from its launch flows and host spans."""

    def __init__(self, trace: Trace) -> None:
        launches = trace.flows[trace.flows["kind"] == "launch"]
        self._start = trace.spans["ts_ns"].tolist()
        self._length = trace.spans["dur_ns"].tolist()
        self._track = trace.spans["track"].tolist()
        self._launch_of = dict(zip(launches["dst"].tolist(), launches["src"].tolist(), strict=True))
        host = trace.host_spans()
        self._by_track = host.groupby("track")
        self._self_time: dict[str, Timeline] = {}
        self._copies = copy_calls(trace)
        self._cause = _span_causes(host)
        _, lost, unclear = unpaired(trace)
        self._lost = {track: rows["ts_ns"].to_numpy() for track, rows in lost.groupby("track")}
        self._unclear = frozenset(unclear.tolist())
        self._waited_for_all = idle_waits(trace, host)

    def parts(self, start_ns: int, end_ns: int, op: int) -> tuple[GapPart, ...]:
        """Parts of the gap [start_ns, end_ns) that the GPU operation `op` ended."""
        ledger = Ledger()
        launch = self._launch_of.get(op, NONE)
        if end_ns - start_ns < SHORT_NS:
            ledger.add(SHORT, end_ns - start_ns, op)
        elif launch == NONE:
            unknown = SHARED_IDS if op in self._unclear else NO_LAUNCH
            ledger.add(unknown, end_ns - start_ns, op)
        elif self._events_lost(start_ns, min(self._start[launch], end_ns), self._track[launch]):
            ledger.add(EVENTS_MISSING, end_ns - start_ns, op)
        elif self._start[launch] <= start_ns:
            returned = self._charge_slow_call(ledger, start_ns, end_ns, launch, op)
            ledger.add(QUEUED, end_ns - returned, op)
        else:
            launched = min(self._start[launch], end_ns)
            self._charge_host(ledger, start_ns, launched, self._track[launch])
            self._charge_start(ledger, launched, end_ns, launch, op)
        return ledger.parts()

    def _charge_start(
        self, ledger: Ledger, launched_ns: int, end_ns: int, launch: int, op: int
    ) -> None:
        """From the beginning of a launch call to that of its work."""
        late = end_ns - self._charge_slow_call(ledger, launched_ns, end_ns, launch, op)
        ledger.add(LATENCY if late < LATE_START_NS else LATE_START, late, launch)

    def _charge_slow_call(
        self, ledger: Ledger, start_ns: int, end_ns: int, launch: int, op: int
    ) -> int:
        """Where a launch call that is slow itself takes [start_ns, R) of a gap, charge it, or what
        its thread did inside of it, and return R (ns); otherwise charge nothing, return start_ns.
        While pageable memory is staged no time is too short: the device can only wait for it.
        """
        returned: int = min(self._start[launch] + self._length[launch], end_ns)
        label = self._copies.get(op, SLOW_LAUNCH)
        if returned <= start_ns or (label != STAGING and returned - start_ns < LATE_START_NS):
            return start_ns
        self._charge_host(ledger, start_ns, returned, self._track[launch], label)
        return returned

    def _events_lost(self, start_ns: int, end_ns: int, track: str) -> bool:
        """Whether the thread launched something in the gap that never shows up on a GPU."""
        lost = self._lost.get(track)
        if lost is None:
            return False
        return bool(lost.searchsorted(start_ns) < lost.searchsorted(end_ns))

    def _charge_host(
        self, ledger: Ledger, start_ns: int, end_ns: int, track: str, launching: str = LAUNCHING
    ) -> None:
        """Split [start_ns, end_ns) by what the thread did; launch calls are called `launching`."""
        if track not in self._self_time:
            self._self_time[track] = self_time(self._by_track.get_group(track))
        for start, end, span in self._self_time[track].between(start_ns, end_ns):
            cause = self._cause.get(span, UNTRACED)
            until = min(max(self._waited_for_all.get(span, end), start), end)
            ledger.add(launching if cause == LAUNCHING else cause, until - start, span)
            ledger.add(EVENTS_MISSING, end - until, span)


def _span_causes(host: pd.DataFrame) -> dict[int, str]:
    """What self time of each host span is called."""
    names = [
        _name_of(kind, name)
        for kind, name in zip(host["kind"].tolist(), host["name"].tolist(), strict=True)
    ]
    causes = dict(zip(host.index.tolist(), names, strict=True))
    loading = host["name"].str.startswith(LOADER).to_numpy(dtype=bool)
    for _, rows in host[host["track"].isin(host.loc[loading, "track"].unique())].groupby("track"):
        operators = rows[rows["kind"] == "op"]  # such as those that put a batch together
        loaded = _started_in(operators, rows[rows["name"].str.startswith(LOADER)])
        causes |= dict.fromkeys(loaded, DATA_LOADING)
    waiting = host.loc[host["kind"] == "sync", "track"].unique()
    for _, rows in host[host["track"].isin(waiting)].groupby("track"):
        syncs = rows[rows["kind"] == "sync"]
        operators = rows[rows["kind"] == "op"]
        for label, wanted in ((BLOCKING, COPIES), (".item()", SCALAR_READS)):
            inside = _started_in(syncs, operators[operators["name"].isin(wanted)])
            causes |= dict.fromkeys(inside, label)
    return causes


def _name_of(kind: str, name: str) -> str:
    if kind == "overhead":
        return f"{name} (overhead)"  # so that no annotation of the user's can look like it
    return DATA_LOADING if name.startswith(LOADER) else KIND_CAUSES.get(kind, name)


def _started_in(spans: pd.DataFrame, others: pd.DataFrame) -> list[int]:
    """The ids of the spans that start within one of the others: an odd number of the edges of all
    the time that those cover lies before them."""
    edges_before = span_union(others).ravel().searchsorted(spans["ts_ns"].to_numpy(), side="right")
    inside: list[int] = spans.index[edges_before % 2 == 1].tolist()
    return inside
