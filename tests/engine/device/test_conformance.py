"""The conformance suite, run on every device.

Where each kernel stands on the modelled clock to the nanosecond (`test_virtual_*`) concerns the
virtual device alone: a real machine promises no times.
"""

import pytest

from engine.device.cost import CostModel
from engine.device.settings import Settings
from tests.engine.device.bench import virtual
from tests.engine.device.conformance import Conformance
from tests.engine.device.gated import GatedThreads
from tests.engine.device.sleepy import SleepyCuda


class TestVirtual(Conformance):
    """Kernels of the family "carry" are short, those of the family "layer" long."""

    def make_device(self):
        return virtual(
            kernel_ns={"carry": 1_000, "layer": 10_000_000}, launch_ns=1_000, event_ns=500,
            alloc_ns=1_000,
        )  # fmt: skip


class TestThreads(Conformance):
    """Kernels of the family "layer" end when the host waits for them."""

    def make_device(self):
        return GatedThreads(CostModel(kernel_ns={"layer": 1}))


@pytest.mark.gpu
class TestCuda(Conformance):
    """Kernels of the family "layer" sleep between reading and writing."""

    def make_device(self):
        return SleepyCuda(Settings(CostModel(kernel_ns={"layer": 1})))
