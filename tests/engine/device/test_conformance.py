"""The conformance suite, run on the virtual device."""

from tests.engine.device.bench import virtual
from tests.engine.device.conformance import Conformance


class TestVirtual(Conformance):
    """Kernels of the family "carry" are short, those of the family "layer" long."""

    def make_device(self):
        return virtual(
            kernel_ns={"carry": 1_000, "layer": 10_000_000}, launch_ns=1_000, event_ns=500,
            alloc_ns=1_000,
        )  # fmt: skip

    def slow(self, kernel):
        return kernel._replace(family="layer")

    def move(self, *arguments, **options):
        return super().move(*arguments, **options)._replace(family="carry")
