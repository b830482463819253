"""Why a kernel of an engine dump started late: a walk back along what bound it.

An operation starts at the latest of: the end of its launch (the host issued it only
then), the ends of the operations it waited for, and the end of its stream's previous
operation. From the kernel that ends a gap the walk goes to whatever came last, and on
from there, until it reaches the gap's start or the host. Time behind a copy belongs to
the copy; time behind the host is split by what the host was doing.
"""

from bisect import bisect_left
from collections import defaultdict
from operator import itemgetter
from typing import NamedTuple

import pandas as pd

from traces.gap import LATENCY, NO_LAUNCH, UNTRACED, GapPart, Ledger
from traces.schema import COPY_KINDS, NONE, Trace
from traces.self_time import Segment, Timeline, self_time

COPY_LABELS = {"h2d": "h2d copy", "d2h": "d2h copy", "copy": "device copy", "memset": "memset"}
SHARED_COMPUTE_STREAM = "copies share the compute stream"
SHARED_COPY_STREAM = "copies share one stream"
DEFAULT_STREAM = "default stream barrier"
INPUT_REUSE = "device slot reuse (H2D waited for compute_done)"
OUTPUT_REUSE = "device slot reuse (compute waited for d2h_done)"

BINDING_FLOWS = ("engine", "launch", "event", "barrier", "stream")
"""What can hold an operation back; where two ended together the later in this list counts."""
ENGINE, LAUNCH, STREAM = (BINDING_FLOWS.index(how) for how in ("engine", "launch", "stream"))


class Binder(NamedTuple):
    """What held an operation back: `span_id` ended at `end_ns`. `how`: "launch",
    "stream", "event", "barrier" or "engine" (the copy engine was taken)."""

    end_ns: int
    how: str
    span_id: int


class GapWalk:
    """Explains the gaps of one device of one trace."""

    def __init__(self, trace: Trace, device: int) -> None:
        spans = trace.spans
        self._start = spans["ts_ns"].tolist()
        self._end = (spans["ts_ns"] + spans["dur_ns"]).tolist()
        self._kind: list[str] = spans["kind"].tolist()
        self._name: list[str] = spans["name"].tolist()
        self._track: list[str] = spans["track"].tolist()
        self._stream = spans["stream"].tolist()
        self._args = spans["args"].tolist()
        ops = trace.gpu_spans(device)
        self._causes_in = _incoming_flows(trace)
        self._binders: dict[int, Binder | None] = {}
        self._previous = _previous_on_stream(ops)
        self._compute_streams = set(ops.loc[ops["kind"] == "kernel", "stream"])
        copies = ops[ops["kind"].isin(COPY_KINDS)]
        self._copy_ending_at = dict(
            zip((copies["ts_ns"] + copies["dur_ns"]).tolist(), copies.index.tolist(), strict=True)
        )
        self._copying = [self_time(ops[ops["kind"] == kind]) for kind in ("d2h", "h2d")]
        host = trace.host_spans()
        self._host = {track: self_time(rows) for track, rows in host.groupby("track")}
        self._waits = {
            track: [i for i in rows.index.tolist() if _is_drain(self._args[i])]
            for track, rows in host[host["kind"] == "sync"].groupby("track")
        }
        launches = host.loc[host["kind"] == "launch", "track"]
        self._main_track = (launches if len(launches) else host["track"]).mode().tolist()[:1]

    def before(self, start_ns: int, end_ns: int, op: int) -> tuple[GapPart, ...]:
        """Parts of the gap [start_ns, end_ns) that the kernel `op` ended."""
        ledger = Ledger()
        now, seen = end_ns, {op}
        while now > start_ns:
            binder = self._binder(op) if now == self._start[op] else self._binder_at(op, now)
            bound_at = max(binder.end_ns, start_ns) if binder else start_ns
            ledger.add(LATENCY if self._launched(op) else NO_LAUNCH, now - bound_at, op)
            now = bound_at
            if binder is None or binder.span_id in seen or now == start_ns:
                ledger.add(NO_LAUNCH, now - start_ns, op)
                break
            if binder.how == "launch":
                track = self._track[binder.span_id]
                if drain := self._drained_by(start_ns, track):
                    return (GapPart(drain[0], end_ns - start_ns, drain[1]),)
                self._charge_host(ledger, start_ns, now, track)
                break
            begin = max(self._start[binder.span_id], start_ns)
            ledger.add(self._device_cause(binder, op), now - begin, binder.span_id)
            now, op = begin, binder.span_id
            seen.add(op)
        return ledger.parts()

    def without_next(self, start_ns: int, end_ns: int) -> tuple[GapPart, ...]:
        """Parts of a gap that no kernel ended: what the host and the copies still did."""
        ledger = Ledger()
        track = self._main_track[0] if self._main_track else ""
        self._charge_host(ledger, start_ns, end_ns, track, copies_run_on=True)
        return ledger.parts()

    def _drained_by(self, start_ns: int, track: str) -> tuple[str, int] | None:
        """(cause, span) of the wait that let the device run dry, if the host stood in one.

        A host that waits for more than the event it needs (a stream, the device, a copy, a
        launch) when the last kernel ends has nothing queued: all that follows until the next
        launch is owed to that wait, whatever the host does in it.
        """
        waits = self._waits.get(track, [])
        latest = bisect_left(waits, start_ns, key=self._start.__getitem__) - 1
        if latest < 0 or self._end[waits[latest]] < start_ns:
            return None
        span = waits[latest]
        return _given_cause(self._args[span]) or self._name[span], span

    def _launched(self, op: int) -> bool:
        return any(how == LAUNCH for how, _ in self._causes_in.get(op, ()))

    def _binder(self, op: int) -> Binder | None:
        """What ended last before `op` started; looked up once for each operation."""
        if op not in self._binders:
            self._binders[op] = self._binder_at(op, self._start[op])
        return self._binders[op]

    def _binder_at(self, op: int, at_ns: int) -> Binder | None:
        """What ended last before `op` could start at `at_ns`."""
        found = [
            (min(self._end[src], at_ns), how, src)
            for how, src in self._causes_in.get(op, ())
            if how == LAUNCH or self._end[src] <= at_ns
        ]
        previous = self._previous.get(op, NONE)
        if previous != NONE and self._end[previous] <= at_ns:
            found.append((self._end[previous], STREAM, previous))
        taken_by = self._copy_ending_at.get(at_ns, op)
        if taken_by != op and self._kind[op] in COPY_KINDS:
            found.append((at_ns, ENGINE, taken_by))
        if not found:
            return None
        end_ns, how, span_id = max(found, key=itemgetter(0, 1))
        return Binder(end_ns, BINDING_FLOWS[how], span_id)

    def _device_cause(self, binder: Binder, waiting: int) -> str:
        """The name of the time in which `waiting` stood behind the device operation."""
        op = binder.span_id
        kind = self._kind[op]
        if cause := _given_cause(self._args[op]):
            return cause
        held = self._held_by(op)
        if binder.how == "barrier" or (held is not None and held.how == "barrier"):
            return DEFAULT_STREAM
        if kind in COPY_KINDS and (
            self._other_work_of_stream(held, kind)
            or (binder.how == "stream" and kind != self._kind[waiting] and held is not None)
        ):
            shared = self._stream[op] in self._compute_streams
            return SHARED_COMPUTE_STREAM if shared else SHARED_COPY_STREAM
        if kind == "h2d" and held is not None and held.how == "event":
            return INPUT_REUSE
        if kind == "d2h" and binder.how == "event" and self._kind[waiting] == "kernel":
            return OUTPUT_REUSE
        return COPY_LABELS.get(kind, self._name[op])

    def _held_by(self, op: int) -> Binder | None:
        """The device work that held back the run of like operations in which `op` stands.

        The four input copies of a step follow each other: what held the first of them back
        held them all. None when the host issued that first one only then.
        """
        own = self._binder(op)
        while own is not None and own.how == "stream":
            if self._kind[own.span_id] != self._kind[op]:
                return own
            op = own.span_id
            own = self._binder(op)
        return None if own is None or own.how in ("launch", "engine") else own

    def _other_work_of_stream(self, held: Binder | None, kind: str) -> bool:
        return held is not None and held.how == "stream" and self._kind[held.span_id] != kind

    def _charge_host(
        self, ledger: Ledger, start_ns: int, end_ns: int, track: str, copies_run_on: bool = False
    ) -> None:
        """Split [start_ns, end_ns) by what the host thread was doing."""
        for segment in self._host.get(track, Timeline()).between(start_ns, end_ns):
            span = segment.span_id
            cause = _given_cause(self._args[span]) if span != NONE else ""
            waits = copies_run_on if span == NONE else self._kind[span] == "sync"
            left = segment.end_ns - segment.start_ns
            if waits and not cause:
                left -= self._charge_copies(ledger, segment)
            ledger.add(cause or (self._name[span] if span != NONE else UNTRACED), left, span)

    def _charge_copies(self, ledger: Ledger, waiting: Segment) -> int:
        """Charge the part of a wait in which a copy ran to the copy; returns its ns. Where
        both directions ran, the one out counts: that is what a host waits for."""
        left = [waiting]
        for copies in self._copying:
            pieces = [piece for rest in left for piece in copies.between(*rest[:2])]
            for start, end, copy in pieces:
                if copy != NONE:
                    ledger.add(COPY_LABELS[self._kind[copy]], end - start, copy)
            left = [piece for piece in pieces if piece.span_id == NONE]
        return waiting.end_ns - waiting.start_ns - sum(end - start for start, end, _ in left)


def _incoming_flows(trace: Trace) -> dict[int, list[tuple[int, int]]]:
    """For each span the (place of the kind in `BINDING_FLOWS`, source) of what ends there."""
    incoming: dict[int, list[tuple[int, int]]] = defaultdict(list)
    flows = trace.flows
    for src, dst, kind in zip(
        flows["src"].tolist(), flows["dst"].tolist(), flows["kind"].tolist(), strict=True
    ):
        if kind in BINDING_FLOWS:
            incoming[dst].append((BINDING_FLOWS.index(kind), src))
    return incoming


def _previous_on_stream(ops: pd.DataFrame) -> dict[int, int]:
    """For each operation the one before it on its stream."""
    previous: dict[int, int] = {}
    latest: dict[int, int] = {}
    for op, stream in zip(ops.index.tolist(), ops["stream"].tolist(), strict=True):
        if stream in latest:
            previous[op] = latest[stream]
        latest[stream] = op
    return previous


def _is_drain(args: object) -> bool:
    """Whether a wait is for more than one event, or says itself what it is there for."""
    if not isinstance(args, dict):
        return False
    return args.get("waits_for", "event") != "event" or bool(_given_cause(args))


def _given_cause(args: object) -> str:
    """The cause that the span itself names, if it does."""
    cause = args.get("cause") if isinstance(args, dict) else None
    return cause if isinstance(cause, str) else ""
