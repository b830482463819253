"""Lesson 13's program: the token of one step is carried into the next by a kernel on a stream of
its own, and once that kernel waits for the wrong forward pass.

Inputs are prepared on one stream: the copy in with the placeholders, then the kernel that puts the
carried tokens in their places. Forward passes run on another. So `carry` must wait for the forward
pass of the step before, and the forward pass for `carry`.
"""

from engine.device.cost import MS, US, CostModel
from engine.device.virtual import VirtualDevice
from lessons.step_program import ROWS, StepProgram, kernel

STEPS, SLOTS = 4, 2
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
    program = StepProgram(COST, SLOTS)
    done, record = program.done, program.record
    prepare, compute, d2h = (program.device.stream(name) for name in ("prepare", "compute", "D2H"))
    host_in, inputs, outputs, host_out = (
        program.buffers(name, SLOTS)
        for name in ("host inputs", "device inputs", "device outputs", "host outputs")
    )

    def enqueue(step: int) -> None:
        slot, other = step % SLOTS, (step - 1) % SLOTS
        program.prepare(step, host_in[slot])
        prepare.copy(inputs[slot], host_in[slot], ROWS)
        if step:
            prepare.wait(done["compute_done", step - 2 if step == ODD_STEP else step - 1])
            prepare.launch(kernel("carry", outputs[other], inputs[slot]))
        record(prepare, "inputs_ready", step)
        compute.wait(done["inputs_ready", step])
        compute.launch(kernel("forward", inputs[slot], outputs[slot]))
        record(compute, "compute_done", step)
        d2h.wait(done["compute_done", step])
        d2h.copy(host_out[slot], outputs[slot], ROWS)
        record(d2h, "d2h_done", step)

    return program.run(STEPS, SLOTS, enqueue, host_out)
