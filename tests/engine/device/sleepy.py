"""A GPU for tests: slow kernels sleep on it, much longer than the host's calls take."""

import torch

from engine.device.cuda import CudaDevice

CYCLES = 200_000_000
"""Some 0.1 s."""


class SleepyCuda(CudaDevice):
    """Kernels to which the cost model gives any time are slow, unless they are in a graph."""

    def _enqueue(self, op, act, pace_ns):
        return super()._enqueue(op, slowed(act) if pace_ns and act else act, 0)


def slowed(act):
    """The same act, asleep between reading and writing."""
    return lambda pause: act(lambda part, parts: torch.cuda._sleep(CYCLES))
