"""The four points of completion of every batch, read off the log of operations.

A launch that has returned has done nothing yet: the inputs are there later, the results exist
later still, and the host may read them last of all. Each is a fact here, whatever the events of
the loop say of it.
"""

from collections import defaultdict
from typing import NamedTuple

from engine.oplog import NONE, BufferInfo, Op, OpKind, OpLog

POINTS = ("returned", "ready", "computed", "copied")
"""The points in the order in which a batch passes them in a correct run."""


class BatchTimes(NamedTuple):
    """When a batch came to be (the host began to fill its slot), and when it passed each point
    (ns): the host's calls have returned, all inputs have arrived, its last kernel has ended, its
    results are copied. `read` is when the host looked at them (NONE: never)."""

    step: int
    host_slot: int
    device_slot: int
    begun: int
    sent: int
    returned: int
    ready: int
    computed: int
    copied: int
    read: int

    def passed(self, at_ns: int) -> tuple[bool, ...]:
        """Which of POINTS it has passed."""
        points = (self.returned, self.ready, self.computed, self.copied)
        return tuple(NONE < point <= at_ns for point in points)

    def is_over(self, at_ns: int) -> bool:
        """True when its results have been read and nothing of it goes on."""
        return all(self.passed(at_ns)) and NONE < self.read <= at_ns


def batch_times(log: OpLog) -> list[BatchTimes]:
    """The batches of a finished run, by step. `sent`: the first copy into its device slot was
    called."""
    by_step: dict[int, list[Op]] = defaultdict(list)
    for op in log:
        if op.step != NONE:
            by_step[op.step].append(op)
    buffers = {buffer.index: buffer for buffer in log.buffers}
    found = (_times(step, ops, buffers) for step, ops in sorted(by_step.items()))
    return [times for times in found if times.begun != NONE]


def _times(step: int, ops: list[Op], buffers: dict[int, BufferInfo]) -> BatchTimes:
    def touching(op: Op, resource: str) -> bool:
        return any(buffers[access.buffer].resource == resource for access in op.writes)

    filled = [op for op in ops if op.kind is OpKind.HOST_WRITE and touching(op, "host inputs")]
    inputs = [op for op in ops if op.kind is OpKind.H2D]
    sent = [op for op in inputs if touching(op, "device inputs")]
    kernels = [op for op in ops if op.kind is OpKind.KERNEL]
    outputs = [op for op in ops if op.kind is OpKind.D2H and touching(op, "host outputs")]
    issued = [op for op in ops if op.kind is OpKind.RECORD and op.name == "d2h_done"]
    reads = [op for op in ops if op.kind is OpKind.HOST_READ and op.name == "read outputs"]
    return BatchTimes(
        step,
        buffers[filled[0].writes[0].buffer].slot if filled else NONE,
        sent[0].slot if sent else NONE,
        min((op.call_ns for op in filled), default=NONE),
        min((op.call_ns for op in sent), default=NONE),
        max((op.issue_ns for op in issued), default=NONE),
        max((op.end_ns for op in inputs), default=NONE),
        max((op.end_ns for op in kernels), default=NONE),
        max((op.end_ns for op in outputs), default=NONE),
        min((op.issue_ns for op in reads), default=NONE),
    )
