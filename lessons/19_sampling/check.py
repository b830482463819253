"""Lesson 19: the texts are legal JSON, and the forward pass still runs while the host reads.

The engine runs with the student's order of moves in the middle of its launch. A move may be made
twice where that does no harm; the forward pass and the sampling are launched once.
"""

from collections.abc import Callable
from types import ModuleType
from typing import ClassVar

from engine import Run, execute
from engine.batch import Batch
from engine.config import RunConfig
from engine.device.api import Device
from engine.loop import Loop
from engine.oplog import OpKind
from lessons.checks import Check, Verdict
from lessons.judging import wanted
from lessons.lesson import Lesson
from lessons.scenes import config_of, run_of

MOST_TIME = 1.01
"""How much longer than the engine's own loop the run may take."""

FORWARD, SETTLE, READ, COPY, SAMPLE = (
    "launch_forward", "settle", "read_grammar", "copy_masks", "launch_sampling"
)  # fmt: skip


class Step:
    """What the student works with: the moves of one step whose rows are under a grammar."""

    def __init__(self, loop: Loop, batch: Batch) -> None:
        self.device: Device = loop.device
        self.moves: list[str] = []
        self._loop, self._batch = loop, batch
        kernels, end = loop.parts.kernels(batch), loop.parts.kernels_after_logits
        self._forward, self._sampling = kernels[:-end], kernels[-end:]

    def launch_forward(self) -> None:
        """Queue the forward pass, up to the logits."""
        self.moves.append(FORWARD)
        for kernel in self._forward:
            self._loop.parts.compute.launch(kernel)

    def settle(self) -> None:
        """Wait for the steps in flight, commit their tokens, and let the grammar follow them."""
        self.moves.append(SETTLE)
        self._loop.finish_all("sampling waits for the host")

    def read_grammar(self) -> None:
        """Note which tokens each row may choose, as far as the host knows now."""
        self.moves.append(READ)
        self._loop.parts.steering.read_grammar(self._batch)
        self._loop.parts.steering.read_history(self._batch)

    def copy_masks(self) -> None:
        """Queue the copy of what was noted; what is launched after this waits for it."""
        self.moves.append(COPY)
        self._loop.launch_masks(self._batch)

    def launch_sampling(self) -> None:
        """Queue the sampling: it reads the logits and the masks."""
        self.moves.append(SAMPLE)
        for kernel in self._sampling:
            self._loop.parts.compute.launch(kernel)

    @property
    def is_whole(self) -> bool:
        """Whether the device has been given a forward pass and then a sampling, once each."""
        return [m for m in self.moves if m in (FORWARD, SAMPLE)] == [FORWARD, SAMPLE]


class StudentLoop(Loop):
    """The engine's loop with the student's function in the middle of a steered launch."""

    launch_step: ClassVar[Callable[[Step], None]]
    made: ClassVar[list[Step]]

    def launch_forward(self, batch: Batch) -> None:
        """As the loop's own; the student launches the kernels."""
        if not batch.steered:
            super().launch_forward(batch)
            return
        compute, owner = self.parts.compute, self.device_owner.get(batch.device_slot)
        compute.wait(batch.h2d_done)
        if owner:
            compute.wait(owner.d2h_done)
        self.made.append(Step(self, batch))
        type(self).launch_step(self.made[-1])
        compute.record(batch.compute_done)


def check(work: ModuleType, lesson: Lesson) -> Verdict:
    """Run the engine with the student's `launch_step`, and look at texts and times."""
    config = config_of(lesson.scene_named("legal"))
    run, made = _run(config, wanted(work, "launch_step"))
    moves = made[-1].moves
    whole = all(step.is_whole for step in made)
    legal = not run.invariants
    same = run.token_diff is not None and not run.token_diff.count
    late = run.wall_ns > MOST_TIME * run_of(config).wall_ns
    if not whole:
        fault = "not_whole"
    elif not legal:
        fault = _why_illegal(run, moves)
    else:
        fault = "race" if run.hazards else "ok"
    overlap = "legal_first" if fault != "ok" else _why_late(run, moves) if late else "ok"
    checks = [
        _check("legal", fault, 2, found=_first(run), moves=", ".join(moves) or "-"),
        _check("same", "legal_first" if fault != "ok" else "ok" if same else "other_tokens"),
        _check("overlap", overlap, 2),
    ]
    return Verdict(checks, run.trace)


def _run(config: RunConfig, launch_step: Callable[[Step], None]) -> tuple[Run, list[Step]]:
    """The engine's run with the student's function, and what it did in each step."""

    class Students(StudentLoop):
        made: ClassVar[list[Step]] = []

    Students.launch_step = staticmethod(launch_step)
    return execute(config, loop_type=Students), Students.made


def _check(name: str, message: str, points: int = 1, **values: object) -> Check:
    return Check(name, message == "ok", message, points, values)


def _first(run: Run) -> str:
    return run.invariants[0] if run.invariants else ""


def _why_illegal(run: Run, moves: list[str]) -> str:
    """What is wrong with the order, as far as it explains an illegal text."""
    if COPY not in moves:
        return "no_masks"
    if READ in moves and SETTLE in moves[: moves.index(READ)]:
        return "illegal"
    return "waited_for_nothing" if _waits_for_everything(run) else "stale"


def _why_late(run: Run, moves: list[str]) -> str:
    if _waits_for_everything(run):
        return "whole_device"
    first = SETTLE in moves and moves.index(SETTLE) < moves.index(FORWARD)
    return "settled_first" if first else "late"


def _waits_for_everything(run: Run) -> bool:
    return any(op.kind is OpKind.SYNC_DEVICE for op in run.device.log)
