"""Lesson 13's program: the token of one step is carried into the next by a kernel on a stream of
its own, and once that kernel waits for the wrong forward pass.

Inputs are prepared on one stream: the copy in with the placeholders, then the kernel that puts the
carried tokens in their places. Forward passes run on another. So `carry` must wait for the forward
pass of the step before, and the forward pass for `carry`.
"""

from engine.device.api import Event, Kernel, Stream
from engine.device.buffer import Buffer
from engine.device.cost import MS, US, CostModel
from engine.device.settings import Settings
from engine.device.virtual import VirtualDevice

STEPS, ROWS, SLOTS = 4, 4, 2
ODD_STEP = 2
"""The step whose tokens are carried from too far back."""

COST = CostModel(
    host_ns={"prepare": 1 * MS, "use tokens": 500 * US},
    kernel_ns={"forward": 4 * MS, "carry": 500 * US},
    h2d_ns=1 * MS,
    d2h_ns=1 * MS,
    launch_ns=5 * US,
    event_ns=US,
)


def carried_from_two_back() -> VirtualDevice:
    """Four steps; the tokens of one are carried once the forward pass two steps back is done."""
    device = VirtualDevice(Settings(COST, compute=False))
    prepare, compute, d2h = (device.stream(name) for name in ("prepare", "compute", "D2H"))
    host_in, inputs, outputs, host_out = (
        _buffers(device, name)
        for name in ("host inputs", "device inputs", "device outputs", "host outputs")
    )
    done: dict[tuple[str, int], Event] = {}

    def record(stream: Stream, name: str, step: int) -> None:
        done[name, step] = device.event(name)
        stream.record(done[name, step])

    def enqueue(step: int) -> None:
        device.context.step, device.context.slot = step, step % SLOTS
        slot, other = step % SLOTS, (step - 1) % SLOTS
        with device.host("prepare"):
            device.write("write inputs", [(host_in[slot], ROWS, None)])
        prepare.copy(inputs[slot], host_in[slot], ROWS)
        if step:
            prepare.wait(done["compute_done", step - 2 if step == ODD_STEP else step - 1])
            prepare.launch(_kernel("carry", outputs[other], inputs[slot]))
        record(prepare, "inputs_ready", step)
        compute.wait(done["inputs_ready", step])
        compute.launch(_kernel("forward", inputs[slot], outputs[slot]))
        record(compute, "compute_done", step)
        d2h.wait(done["compute_done", step])
        d2h.copy(host_out[slot], outputs[slot], ROWS)
        record(d2h, "d2h_done", step)

    def take(step: int) -> None:
        device.context.step, device.context.slot = step, step % SLOTS
        done["d2h_done", step].synchronize()
        with device.host("use tokens"):
            device.read("read tokens", host_out[step % SLOTS], ROWS)

    for step in range(STEPS):
        enqueue(step)
        if step:
            take(step - 1)
    take(STEPS - 1)
    return device


def _buffers(device: VirtualDevice, name: str) -> list[Buffer]:
    on_host = name.startswith("host")
    return [
        device.buffer(name, "tokens", (ROWS,), on_host=on_host, slot=slot) for slot in range(SLOTS)
    ]


def _kernel(name: str, source: Buffer, target: Buffer) -> Kernel:
    return Kernel(name, name, (source.first(ROWS),), (target.first(ROWS),), None)
