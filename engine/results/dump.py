"""A run as a trace: host spans, device operations, what waited for what, counters.

Lanes are "host" and one for each stream. Flow edges: "launch" from the host's call to the
operation, "event" from the operation behind a recorded event to the operation that waited
for it, "barrier" where the legacy default stream held something back.
"""

from collections import defaultdict
from typing import Any

from engine.device.api import HostSpan
from engine.oplog import NONE, Op, OpKind, OpLog
from traces import Trace

DEVICE_KINDS = {OpKind.KERNEL: "kernel", OpKind.H2D: "h2d", OpKind.D2H: "d2h"}

Counter = tuple[int, str, int]
"""(time in ns, name, value)"""


def build_trace(
    log: OpLog, spans: list[HostSpan], counters: list[Counter], meta: dict[str, Any]
) -> Trace:
    """The trace of a finished run."""
    ops = [op for op in log if op.kind in DEVICE_KINDS]
    calls = [op for op in ops if op.replay in (NONE, op.seq)]  # a graph's kernels share one
    columns = _columns(log, spans, calls, ops)
    first_launch = len(spans)
    first_op = first_launch + len(calls)
    place = {op.seq: first_op + number for number, op in enumerate(ops)}
    launch = {op.seq: first_launch + number for number, op in enumerate(calls)}
    held = waits(log)
    flows: dict[str, list[Any]] = {
        "src": [launch[op.seq if op.replay == NONE else op.replay] for op in ops]
        + [place[src] for src, _, _ in held],
        "dst": [*range(first_op, first_op + len(ops)), *(place[dst] for _, dst, _ in held)],
        "kind": ["launch"] * len(ops) + [kind for _, _, kind in held],
    }
    rows: dict[str, list[Any]] = {
        "ts_ns": [ts for ts, _, _ in counters],
        "track": ["host"] * len(counters),
        "name": [name for _, name, _ in counters],
        "value": [value for _, _, value in counters],
    }
    return Trace.from_rows(columns, flows, rows, meta)


def _columns(
    log: OpLog, spans: list[HostSpan], launches: list[Op], ops: list[Op]
) -> dict[str, list[Any]]:
    """Span columns: host spans, then launches, then device operations."""
    names = {stream.index: stream.name for stream in log.streams}
    calls = len(spans) + len(launches)
    return {
        "ts_ns": [s.start_ns for s in spans]
        + [op.call_ns for op in launches]
        + [op.start_ns for op in ops],
        "dur_ns": [s.end_ns - s.start_ns for s in spans]
        + [op.issue_ns - op.call_ns for op in launches]
        + [op.end_ns - op.start_ns for op in ops],
        "track": ["host"] * calls + [names[op.stream] for op in ops],
        "kind": ["sync" if s.waits_for else "host" for s in spans]
        + ["launch"] * len(launches)
        + [DEVICE_KINDS[op.kind] for op in ops],
        "name": [s.name for s in spans]
        + [f"launch {op.graph or op.name}" for op in launches]
        + [op.name for op in ops],
        "stream": [NONE] * calls + [op.stream for op in ops],
        "device": [NONE] * calls + [0] * len(ops),
        "step": [s.step for s in spans] + [op.step for op in (*launches, *ops)],
        "slot": [s.slot for s in spans] + [op.slot for op in (*launches, *ops)],
        "correlation": [NONE] * len(spans) + [op.seq for op in (*launches, *ops)],
        "args": [_span_args(s) for s in spans]
        + [{"line": op.line} if op.line != NONE else None for op in launches]
        + [_op_args(op) for op in ops],
    }


def _op_args(op: Op) -> dict[str, Any] | None:
    if op.nbytes:
        return {"bytes": op.nbytes}
    return {"graph": op.graph} if op.graph else None


def _span_args(span: HostSpan) -> dict[str, str] | None:
    if not (span.waits_for or span.cause):
        return None
    args = {"waits_for": span.waits_for, "cause": span.cause}
    return {key: value for key, value in args.items() if value}


def waits(log: OpLog) -> list[tuple[int, int, str]]:
    """(source, target, kind) for every operation that had to await another stream's.

    Both are `seq` numbers of device work: the operation behind the recorded event, and the
    first operation behind the wait.
    """
    edges: list[tuple[int, int, str]] = []
    latest: dict[int, int] = {}
    pending: dict[int, list[int]] = defaultdict(list)
    behind: dict[int, list[int]] = {}
    for op in log:
        if op.kind is OpKind.RECORD:
            sources = [*pending[op.stream], *(seq for seq, _ in op.depends)]
            if op.stream in latest:
                sources.append(latest[op.stream])
            behind[op.seq] = sources
        elif op.kind is OpKind.WAIT:
            pending[op.stream] += behind.get(op.target, [])
        elif op.kind in DEVICE_KINDS:
            edges += [(source, op.seq, "event") for source in pending.pop(op.stream, [])]
            edges += [(source, op.seq, kind) for source, kind in op.depends]
            latest[op.stream] = op.seq
    return list(dict.fromkeys(edges))
