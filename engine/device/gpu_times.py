"""From a GPU's timing events to integer nanoseconds on the host's clock.

A GPU says only how many ms lie between two events, as a 32-bit float: half a microsecond is lost
beyond some seconds. So times are measured from an event nearby, and the distances added up. The
host's clock is tied to them at both ends of a run: an event is recorded on an idle GPU and waited
for, and happened between the two readings of the host's clock. Half of that bracket is the error;
between the two ends the clocks are taken to drift evenly.

What this module does not know: CUDA. An event is whoever has `query` and `elapsed_time`.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from engine.oplog import NONE, Op

NEAR_MS = 1000.0
"""Up to here a 32-bit float of ms is good to 0.06 microseconds."""

MOST_EVENTS = 20_000
"""So many operations wait to have their events read; then the host takes the time."""


class Mark(Protocol):
    """A timing event."""

    def query(self) -> bool:
        """Has the GPU reached it?"""

    def elapsed_time(self, later: Any, /) -> float:  # noqa: ANN401 - a mark of the same kind
        """ms from here to `later`."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """An event seen by the host: it happened at `host_ns`, give or take `error_ns`."""

    mark: Mark
    host_ns: int
    error_ns: int


def anchor(reach: Callable[[], Mark], now_ns: Callable[[], int], tries: int = 9) -> Anchor:
    """The best of some tries; `reach` records a mark on an idle GPU and waits for it."""
    found = []
    for _ in range(tries):
        before_ns = now_ns()
        mark = reach()
        after_ns = now_ns()
        found.append(Anchor(mark, (before_ns + after_ns) // 2, (after_ns - before_ns + 1) // 2))
    return min(found, key=lambda anchor: anchor.error_ns)


class GpuTimes:
    """The operations whose events are still to be read, and those that have been."""

    def __init__(self, first: Anchor) -> None:
        self._first = first
        self._near, self._near_ns = first.mark, 0
        self._unread: deque[tuple[list[Op], Mark, Mark]] = deque()
        self._read: list[tuple[list[Op], int, int]] = []

    def add(self, op: Op, begin: Mark, end: Mark) -> None:
        """An operation between two marks. Those of one graph replay have the same marks."""
        if op.replay not in (NONE, op.seq):
            self._unread[-1][0].append(op)
            return
        if len(self._unread) >= MOST_EVENTS:
            self.read()
        self._unread.append(([op], begin, end))

    def read(self) -> None:
        """Read the events of what is done, in the order in which it was issued."""
        while self._unread and self._unread[0][2].query():
            ops, begin, end = self._unread.popleft()
            self._read.append((ops, self._gpu_ns(begin), self._gpu_ns(end)))

    def settle(self, last: Anchor, origin_ns: int) -> dict[str, float]:
        """Put all times on the host's clock, counted from its reading `origin_ns`.

        The GPU is idle. PyTorch shows no times inside of a graph: the time of a replay is parted
        evenly among its kernels. Returns the error of the anchors (ns) and the drift (ppm).
        """
        self.read()
        first, length_ns = self._first, self._gpu_ns(last.mark)
        host_ns = last.host_ns - first.host_ns

        def on_host(gpu_ns: int) -> int:
            passed_ns = gpu_ns * host_ns // length_ns if length_ns else gpu_ns
            return first.host_ns + passed_ns - origin_ns

        for ops, begin_ns, end_ns in self._read:
            start_ns, took_ns = on_host(begin_ns), on_host(end_ns) - on_host(begin_ns)
            for part, op in enumerate(ops):
                op.start_ns = start_ns + took_ns * part // len(ops)
                op.end_ns = start_ns + took_ns * (part + 1) // len(ops)
        self._read = []
        drift = (host_ns - length_ns) / length_ns if length_ns else 0.0
        return {
            "anchor_error_ns": max(first.error_ns, last.error_ns),
            "clock_drift_ppm": round(1e6 * drift, 3),
        }

    def _gpu_ns(self, mark: Mark) -> int:
        """Time of a mark since the first anchor's."""
        ms = self._near.elapsed_time(mark)
        at_ns = self._near_ns + round(1e6 * ms)
        if ms > NEAR_MS:
            self._near, self._near_ns = mark, at_ns
        return at_ns
