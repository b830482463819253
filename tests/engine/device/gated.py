"""A device of threads for tests: slow kernels end when the host waits for them, never before.

So a test needs no sleeping, and holds on a machine of any speed and load.
"""

import threading

from engine.device.settings import Settings
from engine.device.threads import ThreadsDevice

HANGS_S = 60
"""So long nobody waits; whoever does is told."""


class GatedThreads(ThreadsDevice):
    """Kernels to which the cost model gives any time are slow: each stands before a gate.

    A gate is opened by the host that waits, in any way, for the kernel behind it.
    """

    def __init__(self, cost):
        self.gates = {}
        super().__init__(Settings(cost))

    def _enqueue(self, op, act, pace_ns):
        if pace_ns:
            gate = self.gates[op.seq] = threading.Event()
            act = gated(act, gate)
        return super()._enqueue(op, act, 0)

    def _await(self, works):
        self.open(works)
        super()._await(works)

    def query_event(self, event, name):
        reached = super().query_event(event, name)
        if not reached:  # whoever asks again has waited
            self.open(self._order.recorded(event.record_op.seq))
        return reached

    def open(self, works):
        """Open the gates of these works, and of all that they wait for."""
        for work in works:
            behind = work.after
            if work.seq in self.gates:
                self.gates[work.seq].set()
            self.open(behind)

    def close(self):
        for gate in self.gates.values():
            gate.set()
        super().close()


def gated(act, gate):
    """The same act, held up before it writes."""

    def held_up(pause):
        def wait(part, parts):
            if not gate.wait(HANGS_S):
                raise TimeoutError("nobody waited for a slow kernel")

        act(wait)

    return held_up
