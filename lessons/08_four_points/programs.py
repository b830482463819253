"""Lesson 08's program: one step, and a host that reads its tokens at one of three moments."""

from engine.device.api import Kernel
from engine.device.cost import MS, US, CostModel
from engine.device.settings import Settings
from engine.device.virtual import VirtualDevice

ROWS = 4

COST = CostModel(
    host_ns={"use tokens": 500 * US},
    kernel_ns={"forward": 4 * MS},
    h2d_ns=MS,
    d2h_ns=MS,
    launch_ns=5 * US,
    event_ns=US,
)


def one_step(read: str) -> VirtualDevice:
    """A step on three streams; the host reads when all is `copied`, `computed`, or `returned`."""
    device = VirtualDevice(Settings(COST, compute=False))
    h2d, compute, d2h = (device.stream(name) for name in ("H2D", "compute", "D2H"))
    host_in = device.buffer("host inputs", "inputs", (ROWS,), on_host=True)
    inputs = device.buffer("device inputs", "inputs", (ROWS,))
    outputs = device.buffer("device outputs", "tokens", (ROWS,))
    host_out = device.buffer("host outputs", "tokens", (ROWS,), on_host=True)
    h2d_done, compute_done, d2h_done = (
        device.event(name) for name in ("h2d_done", "compute_done", "d2h_done")
    )
    forward = Kernel("forward", "forward", (inputs.first(ROWS),), (outputs.first(ROWS),), None)

    h2d.copy(inputs, host_in, ROWS)
    h2d.record(h2d_done)
    compute.wait(h2d_done)
    compute.launch(forward)
    compute.record(compute_done)
    d2h.wait(compute_done)
    d2h.copy(host_out, outputs, ROWS)
    d2h.record(d2h_done)

    if read == "copied":
        d2h_done.synchronize()
    elif read == "computed":
        compute_done.synchronize()
    with device.host("use tokens"):
        device.read("read tokens", host_out, ROWS)
    return device
