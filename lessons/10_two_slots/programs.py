"""Lesson 10's program: three batches in flight on two device slots, and one reuse edge left out.

The host has three sets of buffers, so that nothing of it is ever written over too early; the device
has two. So new inputs may only arrive in a slot, and new outputs be written there, once the batch
that had it before is done with them. In one step nobody waits for that.
"""

from engine.device.cost import MS, US, CostModel
from engine.device.virtual import VirtualDevice
from lessons.step_program import ROWS, StepProgram, kernel

STEPS, IN_FLIGHT, SLOTS = 5, 3, 2
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
    program = StepProgram(COST, SLOTS)
    done, record = program.done, program.record
    h2d, compute, d2h = (program.device.stream(name) for name in ("H2D", "compute", "D2H"))
    host_in, host_out = (program.buffers(name, IN_FLIGHT) for name in ("host inputs", "host out"))
    inputs, outputs = (program.buffers(name, SLOTS) for name in ("device inputs", "device out"))

    def enqueue(step: int) -> None:
        before, slot, place = step - SLOTS, step % SLOTS, step % IN_FLIGHT
        program.prepare(step, host_in[place])
        if before >= 0 and step != ODD_STEP:
            h2d.wait(done["compute_done", before])
        h2d.copy(inputs[slot], host_in[place], ROWS)
        record(h2d, "h2d_done", step)
        compute.wait(done["h2d_done", step])
        if before >= 0:
            compute.wait(done["d2h_done", before])
        compute.launch(kernel("forward", inputs[slot], outputs[slot]))
        record(compute, "compute_done", step)
        d2h.wait(done["compute_done", step])
        d2h.copy(host_out[place], outputs[slot], ROWS)
        record(d2h, "d2h_done", step)

    return program.run(STEPS, IN_FLIGHT, enqueue, host_out)
