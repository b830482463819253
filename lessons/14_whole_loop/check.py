"""Lesson 14: the student's loop, line by line, on the lab's own engine.

`Engine` is what the student's lines work with; the waits and records between its calls are the
student's alone.
"""

from types import ModuleType

from engine import Run, configure, execute
from engine.batch import Batch
from engine.checker.hazards import Hazard
from engine.loop import Loop
from engine.oplog import OpKind
from engine.slots import inputs_of
from engine.workloads.workload import Workload
from lessons.checks import Check, Verdict
from lessons.judging import wanted
from lessons.lesson import Lesson

WORKLOAD = Workload(
    "whole-loop", "Six short requests on three rows: two join while others are under way.",
    batch=3, max_batched_tokens=48, count=6, shortest=5, longest=9,
)  # fmt: skip

BARE = {"wait_h2d": "off", "wait_compute": "off", "sync_d2h": "off"}
"""The engine's own waits are off: the student's stand in their places."""

MOST_SLOWER = 1.01

EDGES = {
    ("RAW", "device inputs"): "missing_h2d_wait",
    ("RAW", "device outputs"): "missing_compute_wait",
    ("RAW", "host outputs"): "missing_host_wait",
}


class Settled(Exception):  # noqa: N818 - a finding about the student's loop, told as a message
    """A batch was committed that is not under way."""


class Engine:
    """The engine's moves, one call each."""

    def __init__(self, loop: Loop) -> None:
        self.loop, self.device, self.parts = loop, loop.device, loop.parts
        self.h2d, self.compute, self.d2h = loop.parts.h2d, loop.parts.compute, loop.parts.d2h

    def has_work(self) -> bool:
        """Whether another batch can be prepared now."""
        return self.loop.has_rows()

    def prepare(self) -> Batch:
        """A new batch in its slot, on the host."""
        batch = self.loop.prepare()
        self.loop.in_flight.append(batch)
        return batch

    def copy_inputs(self, batch: Batch) -> None:
        """All copies to the device."""
        self._enter(batch)
        source = self.parts.slots.host_inputs[batch.host_slot]
        target = self.parts.slots.device_inputs[batch.device_slot]
        labels = inputs_of(batch)
        with self.device.host("launch"):
            for number, label in enumerate(labels):
                share = (number, len(labels))
                rows = source.rows_used(label, batch)
                self.h2d.copy(target.buffers[label], source.buffers[label], rows, share)

    def forward(self, batch: Batch) -> None:
        """All kernels of the forward pass."""
        self._enter(batch)
        with self.device.host("launch"):
            for kernel in self.parts.kernels(batch):
                self.compute.launch(kernel)

    def copy_outputs(self, batch: Batch) -> None:
        """The copy of the sampled tokens to the host."""
        self._enter(batch)
        target = self.parts.slots.host_outputs[batch.host_slot]
        with self.device.host("launch"):
            self.d2h.copy(target, self.parts.output(batch), len(batch.launched))

    def commit(self, batch: Batch) -> None:
        """The engine's steps 6 to 9: read, update, stream, repeat. Raises Settled."""
        if batch not in self.loop.in_flight:
            raise Settled
        self.loop.finish(batch)

    def _enter(self, batch: Batch) -> None:
        self.device.context.step, self.device.context.slot = batch.step, batch.device_slot


def check(work: ModuleType, lesson: Lesson) -> Verdict:
    """Serve six requests with the student's loop, and look at order, books and time."""
    function = wanted(work, "run")

    class Students(Loop):
        def run_async(self) -> None:
            function(Engine(self))

    config = configure("async", workload=WORKLOAD, set=BARE)
    try:
        run = execute(config, loop_type=Students)
    except Settled:
        return Verdict([Check("books", False, "settled_twice", 4)])
    race, books = _race(run.hazards), _books(run)
    first = "ok" if race == books == "ok" else "order_first"
    checks = [
        _check("order", race, points=2),
        _check("books", books),
        _check("overlap", _overlap(run) if first == "ok" else first),
    ]
    return Verdict(checks, run.trace)


def _check(name: str, message: str, points: int = 1) -> Check:
    return Check(name, message == "ok", message, points)


def _race(hazards: list[Hazard]) -> str:
    """The missing line that the first hazard names."""
    if not hazards:
        return "ok"
    hazard = hazards[0]
    if hazard.fix.text.startswith("issue the wait"):
        return "wait_on_nothing"
    if hazard.fix.text.startswith("record "):
        return "recorded_early"
    return EDGES.get((hazard.kind, hazard.resource), "too_many")


def _books(run: Run) -> str:
    """Whether all batches were settled, and every token is the right one."""
    if any(request.in_flight for request in run.requests):
        return "not_drained"
    return "wrong_tokens" if run.token_diff is not None and run.token_diff.count else "ok"


def _overlap(run: Run) -> str:
    """Whether the run is as short as that of the engine's own loop."""
    if any(op.kind is OpKind.SYNC_DEVICE for op in run.device.log):
        return "whole_device"
    own = execute(configure("async", workload=WORKLOAD, compute=False))
    return "ok" if run.wall_ns <= MOST_SLOWER * own.wall_ns else "taking_turns"
