"""Clocks of a Perfetto trace: every packet may tell its time by another one.

A snapshot names the times of several clocks at one instant. Built-in clocks have one meaning
in the file, clocks from 64 on one in their sequence; an incremental clock tells the time since
the packet before. See https://perfetto.dev/docs/concepts/clock-sync.
"""

from typing import Any, NamedTuple

REALTIME, BOOTTIME = 1, 6
SEQUENCE_CLOCKS = range(64, 128)


class _Clock(NamedTuple):
    """How a clock relates to the trace's: the same instant on both, ns a unit."""

    own_ns: int
    trace_ns: int
    ns_per_unit: int
    is_incremental: bool


class Clocks:
    """Takes snapshots as they come and converts times to ns on the trace's clock."""

    def __init__(self) -> None:
        self.trace_clock = BOOTTIME
        self._clocks: dict[tuple[int, int], _Clock] = {}
        self._latest: dict[tuple[int, int], int] = {}
        self.unix_ns: int | None = None
        """The wall time of 0 on the trace's clock, once it is known."""

    def take(self, sequence: int, snapshot: Any) -> None:  # noqa: ANN401 - a protobuf message
        """Learn from a ClockSnapshot of a sequence."""
        self.trace_clock = snapshot.primary_trace_clock or self.trace_clock
        rows = [(row, row.timestamp * (row.unit_multiplier_ns or 1)) for row in snapshot.clocks]
        trace_ns = next((ns for row, ns in rows if row.clock_id == self.trace_clock), None)
        if trace_ns is None:
            return
        for row, ns in rows:
            unit = row.unit_multiplier_ns or 1
            key = _key(sequence, row.clock_id)
            self._clocks[key] = _Clock(ns, trace_ns, unit, row.is_incremental)
            self._latest[key] = ns
            if row.clock_id == REALTIME and self.unix_ns is None:
                self.unix_ns = ns - trace_ns

    def to_trace_ns(self, sequence: int, clock_id: int, time: int) -> int | None:
        """A packet's time on the trace's clock; None if its own clock is not known."""
        key = _key(sequence, clock_id or self.trace_clock)
        clock = self._clocks.get(key)
        if clock is None:
            return time if key[1] not in SEQUENCE_CLOCKS else None
        ns = time * clock.ns_per_unit
        if clock.is_incremental:
            ns = self._latest[key] = self._latest[key] + ns
        return ns - clock.own_ns + clock.trace_ns


def _key(sequence: int, clock_id: int) -> tuple[int, int]:
    return (sequence if clock_id in SEQUENCE_CLOCKS else 0, clock_id)
