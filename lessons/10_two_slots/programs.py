"""Lesson 10's program: three batches in flight on two device slots, and one reuse edge left out.

The host has three sets of buffers, so that nothing of it is ever written over too early; the device
has two. So new inputs may only arrive in a slot, and new outputs be written there, once the batch
that had it before is done with them. In one step nobody waits for that.
"""

from engine.device.api import Event, Kernel, Stream
from engine.device.buffer import Buffer
from engine.device.cost import MS, US, CostModel
from engine.device.settings import Settings
from engine.device.virtual import VirtualDevice

STEPS, ROWS, IN_FLIGHT, SLOTS = 5, 4, 3, 2
ODD_STEP = 3
"""The step before which nobody waits."""

COST = CostModel(
    host_ns={"prepare": 1 * MS, "use tokens": 500 * US},
    kernel_ns={"forward": 4 * MS},
    h2d_ns=1_500 * US,
    d2h_ns=1 * MS,
    launch_ns=5 * US,
    event_ns=US,
)


def inputs_too_early() -> VirtualDevice:
    """Five steps; the inputs of one are copied over those of a batch that may still run."""
    device = VirtualDevice(Settings(COST, compute=False))
    h2d, compute, d2h = (device.stream(name) for name in ("H2D", "compute", "D2H"))
    host_in, host_out = (_buffers(device, name, IN_FLIGHT) for name in ("host inputs", "host out"))
    inputs, outputs = (_buffers(device, name, SLOTS) for name in ("device inputs", "device out"))
    done: dict[tuple[str, int], Event] = {}

    def record(stream: Stream, name: str, step: int) -> None:
        done[name, step] = device.event(name)
        stream.record(done[name, step])

    def enqueue(step: int) -> None:
        device.context.step, device.context.slot = step, step % SLOTS
        before, slot, place = step - SLOTS, step % SLOTS, step % IN_FLIGHT
        with device.host("prepare"):
            device.write("write inputs", [(host_in[place], ROWS, None)])
        if before >= 0 and step != ODD_STEP:
            h2d.wait(done["compute_done", before])
        h2d.copy(inputs[slot], host_in[place], ROWS)
        record(h2d, "h2d_done", step)
        compute.wait(done["h2d_done", step])
        if before >= 0:
            compute.wait(done["d2h_done", before])
        reads, writes = (inputs[slot].first(ROWS),), (outputs[slot].first(ROWS),)
        compute.launch(Kernel("forward", "forward", reads, writes, None))
        record(compute, "compute_done", step)
        d2h.wait(done["compute_done", step])
        d2h.copy(host_out[place], outputs[slot], ROWS)
        record(d2h, "d2h_done", step)

    def take(step: int) -> None:
        device.context.step, device.context.slot = step, step % SLOTS
        done["d2h_done", step].synchronize()
        with device.host("use tokens"):
            device.read("read tokens", host_out[step % IN_FLIGHT], ROWS)

    for step in range(STEPS):
        enqueue(step)
        if step >= IN_FLIGHT - 1:
            take(step - IN_FLIGHT + 1)
    for step in range(STEPS - IN_FLIGHT + 1, STEPS):
        take(step)
    return device


def _buffers(device: VirtualDevice, name: str, count: int) -> list[Buffer]:
    on_host = name.startswith("host")
    return [
        device.buffer(name, "tokens", (ROWS,), on_host=on_host, slot=number)
        for number in range(count)
    ]
