"""What a host can do, one key each: the words in which a program is written.

A program is a string of keys, "wh14k25d36g" for one correct step. No operation names its batch:
each goes through the batches in their order, so that the third `h` copies the third batch in.
The waits behind which a buffer may be used anew (7, 8, 9) name the batch that used it before.
"""

from dataclasses import dataclass

HOST, H2D, COMPUTE, D2H = "host", "H2D", "compute", "D2H"


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of the host. `queue` is the stream it is put into, or "host" for what the
    host does itself; `waits`: it makes somebody wait, and is counted where a level counts waits."""

    key: str
    name: str
    queue: str
    waits: bool = False


OPERATIONS: dict[str, Operation] = {
    operation.key: operation
    for operation in (
        Operation("w", "write", HOST),
        Operation("p", "placeholder", HOST),
        Operation("x", "swap", HOST),
        Operation("g", "read", HOST),
        Operation("f", "release", HOST),
        Operation("6", "sync_d2h", HOST, waits=True),
        Operation("9", "sync_h2d", HOST, waits=True),
        Operation("0", "sync_compute", HOST, waits=True),
        Operation("y", "sync_stream", HOST, waits=True),
        Operation("v", "sync_device", HOST, waits=True),
        Operation("i", "swap_in", H2D),
        Operation("h", "copy_in", H2D),
        Operation("1", "record_h2d", H2D),
        Operation("7", "wait_inputs_free", H2D, waits=True),
        Operation("k", "launch", COMPUTE),
        Operation("2", "record_compute", COMPUTE),
        Operation("4", "wait_h2d", COMPUTE, waits=True),
        Operation("8", "wait_outputs_free", COMPUTE, waits=True),
        Operation("d", "copy_out", D2H),
        Operation("3", "record_d2h", D2H),
        Operation("5", "wait_compute", D2H, waits=True),
    )
}
"""All operations by key."""


def waits_in(program: str) -> int:
    """How many operations of a program make somebody wait."""
    return sum(OPERATIONS[key].waits for key in program if key in OPERATIONS)
