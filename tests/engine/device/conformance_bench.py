"""What the conformance suite makes its devices do: kernels, copies and a host that looks on.

Kernels of the family "layer" are slow, those of the family "carry" are not.
"""

from contextlib import closing

import pytest
from msgspec.structs import replace

from engine.device.api import Kernel
from engine.oplog import row_mask

ROWS = 8
ALL = row_mask(0, ROWS)
OLD, NEW = [0] * ROWS, [7] * ROWS


class ConformanceBench:
    """Derive from it, and make a device with slow kernels."""

    def make_device(self):
        raise NotImplementedError

    @pytest.fixture(autouse=True)
    def _bench(self):
        self.device = self.make_device()
        self.a = self.device.stream("a")
        self.b = self.device.stream("b")
        self.source = self.host()
        self.x, self.y, self.z = (self.on_device(label) for label in "xyz")
        self.result = self.host()
        self.device.write("fill", [(self.source, ROWS, NEW)])
        with closing(self.device):
            yield
            self.device.synchronize()

    # ------------------------------------------------------------- vocabulary

    def host(self, pinned=True):
        return self.device.buffer("host", "h", (ROWS,), on_host=True, pinned=pinned)

    def on_device(self, label):
        return self.device.buffer("device", label, (ROWS,))

    def move(self, dst, src, amount=0, name="move"):
        """A kernel: dst = src + amount."""

        def body():
            values = src.tensor + amount
            return lambda: dst.tensor.copy_(values)

        return Kernel(name, "carry", (src.rows(ALL),), (dst.rows(ALL),), body)

    def late(self, dst, src, amount=0, name="late"):
        """The same, taking much longer than the host's calls."""
        return replace(self.move(dst, src, amount, name), family="layer")

    def read(self, buffer):
        return self.device.read("read", buffer, ROWS)

    def fetch(self, buffer):
        """The values of a device buffer once everything is done."""
        self.device.synchronize()
        self.a.copy(self.result, buffer, ROWS)
        self.device.synchronize()
        return self.read(self.result)

    def bring(self, stream):
        """Copy the source to x and launch a slow kernel that brings it to y."""
        stream.copy(self.x, self.source, ROWS)
        stream.launch(self.late(self.y, self.x))
