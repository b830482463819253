"""A virtual device with round times, and kernels that leave something to look at.

The times are in ns and small: a "layer" kernel takes 100, a "carry" kernel 10, an H2D
40 (four chunks), a D2H 20, a host step "schedule" 10 a unit. Launches and events are
free unless a test says otherwise.
"""

from dataclasses import fields, replace

from engine.device.api import Kernel
from engine.device.cost import CostModel
from engine.device.settings import Settings, Stopped
from engine.device.virtual import VirtualDevice
from engine.oplog import OpKind, row_mask

COST = CostModel(
    host_ns_per_row={"schedule": 10},
    kernel_ns={"layer": 100, "carry": 10},
    h2d_ns=40,
    d2h_ns=20,
    kernel_bandwidth=0,
    copy_bandwidth=0,
)
_COST_FIELDS = {item.name for item in fields(CostModel)}
DEVICE_KINDS = (OpKind.KERNEL, OpKind.H2D, OpKind.D2H)


def virtual(cost=COST, **changes):
    """A virtual device; changes go to the cost model or to the settings, by name."""
    of_cost = {name: changes.pop(name) for name in list(changes) if name in _COST_FIELDS}
    return VirtualDevice(Settings(replace(cost, **of_cost), **changes))


def on_device(device, rows=4, label="x"):
    """A device buffer of zeros."""
    return device.buffer("device", label, (rows,))


def on_host(device, rows=4, pinned=True, label="x"):
    """A host buffer of zeros."""
    return device.buffer("host", label, (rows,), on_host=True, pinned=pinned)


def whole(buffer):
    """An access to all rows."""
    return buffer.rows(row_mask(0, buffer.info.rows))


def kernel(name="k", dst=None, src=None, change=None, family="layer", share=(0, 1)):
    """A kernel that writes change(values of src) to dst; `src` may be dst itself."""

    def body():
        values = change(src.tensor.clone() if src is not None else None)
        return lambda: dst.tensor.copy_(values)

    reads = () if src is None else (whole(src),)
    writes = () if dst is None else (whole(dst),)
    return Kernel(name, family, reads, writes, body if change else None, share=share)


def adds(amount, dst, src=None, **options):
    """A kernel that writes src + amount (the amount alone without a source) to dst."""

    def change(values):
        return dst.tensor.new_full(dst.tensor.shape, amount) if values is None else values + amount

    return kernel(dst=dst, src=src, change=change, **options)


def fill(device, buffer, value):
    """The host writes one value into every row."""
    rows = buffer.info.rows
    device.write("fill", [(buffer, rows, [value] * rows)])


def peek(device, buffer):
    """What the host reads from a host buffer now."""
    return device.read("peek", buffer, buffer.info.rows)


def idle(device, duration_ns):
    """Let the host work for a time (a multiple of 10 ns)."""
    with device.host("schedule", duration_ns // 10):
        pass


def device_ops(device):
    """The copies and kernels of the log."""
    return [op for op in device.log if op.kind in DEVICE_KINDS]


def times(device, name=None):
    """(start_ns, end_ns) of every copy and kernel, or of those of one name."""
    return [(op.start_ns, op.end_ns) for op in device_ops(device) if name in (None, op.name)]


def finished(device):
    """Let the device run dry; returns it."""
    device.finish()
    return device


def frozen(device, program):
    """Run a program that is stopped by `stop_at_ns`, or to its end."""
    try:
        program(device)
        device.finish()
    except Stopped:
        return True
    return False
