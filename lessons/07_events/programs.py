"""Lesson 07's programs: four steps on three streams, with one edge that is not as it should be.

Every step waits for the three events that it needs. In one run the copy out of a step waits for
the event of the step before; in the other a forward pass waits for a copy that it does not need.
"""

from collections.abc import Callable

from engine.device.cost import MS, US, CostModel
from engine.device.virtual import VirtualDevice
from engine.oplog import NONE
from lessons.step_program import ROWS, StepProgram, kernel

STEPS, SLOTS = 4, 2
ODD_STEP = 2
"""The step whose edge is not as it should be."""

COST = CostModel(
    host_ns={"prepare": 1 * MS, "use tokens": 500 * US},
    kernel_ns={"forward": 4 * MS},
    h2d_ns=1 * MS,
    d2h_ns=1_500 * US,
    launch_ns=5 * US,
    event_ns=US,
)


def event_of_the_step_before() -> VirtualDevice:
    """The copy out of one step waits for the forward pass of the step before it."""
    return _serve(copy_out_after=lambda step: step - 1 if step == ODD_STEP else step)


def copy_that_nobody_needs() -> VirtualDevice:
    """The forward pass of one step waits until the tokens of the step before have been copied."""
    return _serve(forward_after_copy_out=ODD_STEP)


def _serve(
    copy_out_after: Callable[[int], int] = lambda step: step, forward_after_copy_out: int = NONE
) -> VirtualDevice:
    """The run; every argument is a step, or says one for a step."""
    program = StepProgram(COST, SLOTS)
    done, record = program.done, program.record
    h2d, compute, d2h = (program.device.stream(name) for name in ("H2D", "compute", "D2H"))
    host_in, inputs, outputs, host_out = (
        program.buffers(name, SLOTS)
        for name in ("host inputs", "device inputs", "device outputs", "host outputs")
    )

    def enqueue(step: int) -> None:
        slot = step % SLOTS
        program.prepare(step, host_in[slot])
        h2d.copy(inputs[slot], host_in[slot], ROWS)
        record(h2d, "h2d_done", step)
        compute.wait(done["h2d_done", step])
        if step == forward_after_copy_out:
            compute.wait(done["d2h_done", step - 1])
        compute.launch(kernel("forward", inputs[slot], outputs[slot]))
        record(compute, "compute_done", step)
        d2h.wait(done["compute_done", copy_out_after(step)])
        d2h.copy(host_out[slot], outputs[slot], ROWS)
        record(d2h, "d2h_done", step)

    return program.run(STEPS, SLOTS, enqueue, host_out)
