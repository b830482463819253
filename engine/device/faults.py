"""One failure, injected into one batch: of a kernel, of a copy, or of the host's own step.

As on CUDA a failed kernel or copy is silent when it is launched. It does nothing, nor does what
is queued behind it for the same batch. The host hears of it from the first wait for that batch
(or for everything) that is over after it; where launches block, that is its own launch.

What this module does not know: requests, and what is done about it (`engine.recovery`).
"""

from dataclasses import dataclass

from engine.device.order import Entry
from engine.oplog import NONE, Op
from engine.said import Said

FAILS = {"kernel": "layer 0", "copy": "h2d tokens", "host": ""}
"""The operation of a batch that fails, for each kind of failure."""

DEFAULT_STEP = 20
"""Where a failure strikes if the workload does not say."""


class BatchError(RuntimeError):
    """A batch has no results; `said` says what failed, and where that was noticed."""

    def __init__(self, said: Said) -> None:
        super().__init__(said)
        self.said = said


@dataclass(slots=True)
class Fault:
    """A failure of batch `step`. `failed` is the operation that did nothing, once it is queued,
    `noticed` the host's wait that reported it."""

    kind: str
    step: int
    failed: Op | None = None
    task: Entry | None = None
    noticed: Op | None = None

    def strikes(self, op: Op, task: Entry) -> bool:
        """True when an operation does nothing: it fails, or stands behind the one that did."""
        if op.step != self.step:
            return False
        if op.name == FAILS[self.kind] and self.failed is None:
            self.failed, self.task = op, task
        return self.failed is not None

    def waited(self, op: Op, step: int = NONE) -> None:
        """The host's wait `op` for work of batch `step` (NONE: for everything) is over."""
        failed = self.task is not None and self.task.done
        if failed and self.noticed is None and step in (self.step, NONE):
            self.noticed = op

    def check(self, step: int) -> None:
        """Raise BatchError when it has been reported that this batch failed."""
        if self.noticed is not None and self.failed is not None and step == self.step:
            names = {"name": self.failed.name, "wait": self.noticed.name}
            said = Said("failed_operation", kind=self.kind, **names, line=self.noticed.line)
            raise BatchError(said)

    def check_host(self, step: int) -> None:
        """Raise BatchError when it is the host that fails at this batch."""
        if self.kind == "host" and step == self.step:
            raise BatchError(Said("failed_host"))


def make_fault(inject: str, step: int) -> Fault | None:
    """The failure of the kind `inject` at a step (0: the default one); None for "none"."""
    return None if inject == "none" else Fault(inject, step or DEFAULT_STEP)
