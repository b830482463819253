"""Which operations of a log are ordered, whatever the timing.

A vector clock holds, for every stream, the `seq` of the last operation that is
certainly done. One clock belongs to the host and one to each stream; they grow
along host program order, launches, stream order, waits, synchronisations and the
legacy default stream's barrier (Lamport 1978; Fidge and Mattern 1988).

What this module does not do: read the times in the log, or look at what an
operation reads and writes (`engine.checker.races`).
"""

from collections.abc import Iterator

from engine.oplog import NONE, Op, OpKind, OpLog, StreamKind

Clock = tuple[int, ...]
"""Clock[s] is the `seq` of the last operation of stream s known to be done."""

SYNC_KINDS = frozenset({OpKind.SYNC_OP, OpKind.SYNC_STREAM, OpKind.SYNC_DEVICE})
HOST_KINDS = SYNC_KINDS | {OpKind.HOST_READ, OpKind.HOST_WRITE, OpKind.ALLOC, OpKind.FREE}


class _Clocks:
    """The clocks of the host and of every stream while a log is read once."""

    def __init__(self, log: OpLog) -> None:
        width = 1 + max((stream.index for stream in log.streams), default=NONE)
        self.host = [NONE] * width
        self.streams = [[NONE] * width for _ in range(width)]
        self.awaited = {op.target for op in log}
        self.after: dict[int, Clock] = {}
        by_kind = {kind: [s.index for s in log.streams if s.kind is kind] for kind in StreamKind}
        barred_by = {
            StreamKind.DEFAULT: by_kind[StreamKind.BLOCKING],
            StreamKind.BLOCKING: by_kind[StreamKind.DEFAULT],
            StreamKind.NON_BLOCKING: [],
        }
        self.barriers = {stream.index: barred_by[stream.kind] for stream in log.streams}

    def before(self, op: Op) -> Clock:
        """Advance past `op`; return what is known to be done when it starts."""
        if op.kind in HOST_KINDS:
            self._synchronise(op)
            return tuple(self.host)
        clock = self.streams[op.stream]
        _join(clock, self.host)
        for other in self.barriers[op.stream]:
            _join(clock, self.streams[other])
        if op.kind is OpKind.WAIT and op.target in self.after:
            _join(clock, self.after[op.target])
        known = tuple(clock)
        clock[op.stream] = op.seq
        if op.seq in self.awaited:
            self.after[op.seq] = tuple(clock)
        return known

    def _synchronise(self, op: Op) -> None:
        if op.kind is OpKind.SYNC_OP and op.target in self.after:
            _join(self.host, self.after[op.target])
        elif op.kind is OpKind.SYNC_STREAM:
            _join(self.host, self.streams[op.stream])
        elif op.kind is OpKind.SYNC_DEVICE:
            for clock in self.streams:
                _join(self.host, clock)


def _join(into: list[int], other: list[int] | Clock) -> None:
    for stream, seq in enumerate(other):
        if seq > into[stream]:
            into[stream] = seq


def clocks(log: OpLog) -> Iterator[Clock]:
    """What is known to be done when each operation starts, in log order.

    An earlier device operation `a` happens before `b` exactly if
    `clock_of_b[a.stream] >= a.seq`. An earlier host operation happens before
    everything the host does or launches later, so it needs no entry.
    """
    state = _Clocks(log)
    return (state.before(op) for op in log)
