"""Lesson 09's program: one copy beside a kernel, and what it does to the host."""

from engine.device.api import Kernel
from engine.device.cost import MS, US, CostModel
from engine.device.settings import Settings
from engine.device.virtual import VirtualDevice

ROWS = 4

COST = CostModel(
    host_ns={"prepare": 2 * MS},
    kernel_ns={"forward": 6 * MS},
    h2d_ns=MS,
    d2h_ns=MS,
    launch_ns=5 * US,
    event_ns=US,
)


def one_copy(memory: str, direction: str) -> VirtualDevice:
    """A kernel runs; a copy on another stream brings inputs in or results out; then the host goes
    on with work of its own. Nothing depends on anything, but a result on its kernel."""
    device = VirtualDevice(Settings(COST, compute=False))
    compute, copies = device.stream("compute"), device.stream("copies")
    on_host = device.buffer("host", "x", (ROWS,), on_host=True, pinned=memory == "pinned")
    on_device = device.buffer("device", "x", (ROWS,))
    writes = (on_device.first(ROWS),) if direction == "out" else ()
    compute.launch(Kernel("forward", "forward", (), writes, None))
    if direction == "out":
        done = device.event("compute_done")
        compute.record(done)
        copies.wait(done)
        copies.copy(on_host, on_device, ROWS)
    else:
        copies.copy(on_device, on_host, ROWS)
    with device.host("prepare"):
        pass
    return device
