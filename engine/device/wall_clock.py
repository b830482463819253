"""The clock on the wall, as integer nanoseconds since a device was first used.

What this module does not know: what is timed, and how long it is to take.
"""

import sys
import threading
import time

SWITCH_S = 0.0005
"""How long a thread may keep the interpreter's lock from the others, in seconds.

The usual 5 ms is as long as a whole step: a worker that is done would wait for the host's
Python.
"""

FINEST_NS = 50_000
"""Nobody is woken after less than this: what is shorter is not slept at all."""


class WallClock:
    """Time since the clock was first looked at. `called_off` ends every sleep, now and to come."""

    def __init__(self) -> None:
        self._origin_ns: int | None = None
        self.called_off = threading.Event()

    @property
    def now_ns(self) -> int:
        """The time (ns)."""
        now_ns = time.perf_counter_ns()
        if self._origin_ns is None:
            self._origin_ns = now_ns
        return now_ns - self._origin_ns

    def sleep_until(self, due_ns: int) -> None:
        """Sleep until `due_ns`, or a little longer: as the system pleases."""
        left_ns = due_ns - self.now_ns
        if left_ns > FINEST_NS:
            self.called_off.wait(left_ns / 1e9)


class QuickSwitching:
    """Threads take turns every SWITCH_S seconds while anyone holds this.

    The interval is one for the whole process, so the last one to let go puts back what the
    first one found.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holders = 0
        self._before_s = 0.0

    def hold(self) -> None:
        """Ask for quick turns."""
        with self._lock:
            if self._holders == 0:
                self._before_s = sys.getswitchinterval()
                sys.setswitchinterval(SWITCH_S)
            self._holders += 1

    def let_go(self) -> None:
        """Do without them again."""
        with self._lock:
            self._holders -= 1
            if self._holders == 0:
                sys.setswitchinterval(self._before_s)


quick_switching = QuickSwitching()
"""The one for this process."""
