"""Lesson 18: which waits are left, whether the needed one is among them, and what got lost.

`DeviceTensor` does to the host what a tensor on a device does: a look at its values copies them
and waits. `Looked` is the slot that the student's functions see.
"""

from types import ModuleType
from typing import Any

from engine.checker.hazards import Hazard
from engine.device.api import Device, Event, Stream
from engine.device.buffer import Buffer
from engine.oplog import Op
from lessons.checks import Check, Verdict
from lessons.judging import wanted
from lessons.lesson import Lesson
from lessons.pipeline import SYNCS, Program, Served, Slot, Streams, serve, try_timings

END = 7
"""As in the exercise."""

MOST_IDLE = 0.01

EDGES = {
    ("device inputs", "h2d_done -> compute"): "missing_h2d_wait",
    ("device outputs", "compute_done -> d2h"): "missing_compute_wait",
    ("host outputs", "d2h_done -> host read"): "missing_host_wait",
}

LOOKS = {
    ".item()": "still_item",
    "print(tensor)": "still_print",
    "nonzero()": "still_shape",
    "if tensor": "still_item",
    ".cpu()": "still_copy",
    "device synchronize": "still_device",
}
"""What is said of each kind of wait."""


class DeviceTensor:
    """Some rows of a buffer on the device, as the host sees them."""

    def __init__(self, device: Device, stream: Stream, buffer: Buffer, rows: range) -> None:
        self._device, self._stream, self._buffer, self._rows = device, stream, buffer, rows

    @property
    def shape(self) -> tuple[int, ...]:
        """Known without a look."""
        return (len(self._rows),)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, row: int) -> "DeviceTensor":
        return DeviceTensor(self._device, self._stream, self._buffer, self._rows[row : row + 1])

    def item(self) -> int:
        """Its one value."""
        return self._look(".item()")[0]

    def cpu(self) -> list[int]:
        """Its values."""
        return self._look(".cpu()")

    tolist = numpy = cpu

    def nonzero(self) -> list[int]:
        """The rows that are not 0: how many there are depends on the values."""
        return [row for row, value in enumerate(self._look("nonzero()")) if value]

    def __bool__(self) -> bool:
        return bool(self._look("if tensor")[0])

    def __int__(self) -> int:
        return self._look("if tensor")[0]

    __index__ = __int__

    def __str__(self) -> str:
        return f"tensor({self._look('print(tensor)')})"

    __repr__ = __str__

    def _look(self, name: str) -> list[int]:
        """Copy the values out, behind all that the stream has been given, and wait for them."""
        rows = self._rows.stop
        scratch = self._device.buffer("host scratch", "scratch", (rows,), on_host=True)
        self._stream.copy(scratch, self._buffer, rows)
        self._stream.synchronize(name)
        return self._device.read("look", scratch, rows)[self._rows.start :]


class Looked:
    """A slot with its tensors, and with a way to tell that a row has ended."""

    def __init__(
        self, device: Device, compute: Stream, slot: Slot, ended: set[tuple[int, int]]
    ) -> None:
        self.host_inputs, self.host_outputs = slot.host_inputs, slot.host_outputs
        self.device_inputs, self.device_outputs = slot.device_inputs, slot.device_outputs
        self.forward, self.rows = slot.forward, slot.rows
        self.h2d_done: Event = slot.h2d_done
        self.compute_done: Event = slot.compute_done
        self.d2h_done: Event = slot.d2h_done
        rows = range(slot.rows)
        self.inputs = DeviceTensor(device, compute, slot.device_inputs, rows)
        self.sampled = DeviceTensor(device, compute, slot.device_outputs, rows)
        self._ended, self._step = ended, device.context.step

    def end(self, row: int) -> None:
        """This row's text has ended."""
        self._ended.add((self._step, row))


def check(work: ModuleType, lesson: Lesson) -> Verdict:
    """Serve with the student's two functions, and look at the log."""
    ended: set[tuple[int, int]] = set()
    program = _program(work, ended)
    plain = serve(program)
    told = set(ended)
    if waits := _waits(plain):
        values = {"name": waits[0].name, "count": len(waits)}
        message = LOOKS.get(waits[0].name, "still_stream")
        later = [Check(name, False, "first_enqueue", points) for name, points in LATER]
        first = Check("host_goes_on", False, message, values=values)
        return Verdict([first, *later], plain.trace("lesson 18"))
    racing, wrong = try_timings(program, plain)
    race = _race(racing.hazards) if racing else "wrong_tokens" if wrong else "ok"
    found = {
        "order": race,
        "ends": "ok" if told == _ends(plain) else "ends_lost",
        "no_gap": _speed(plain) if race == "ok" else "order_first",
    }
    checks = [Check(name, found[name] == "ok", found[name], points) for name, points in LATER]
    shown = racing or wrong or plain
    return Verdict([Check("host_goes_on", True), *checks], shown.trace("lesson 18"))


def _program(work: ModuleType, ended: set[tuple[int, int]]) -> Program:
    """The student's two functions, with tensors in their slots; `ended` collects (step, row)."""
    enqueue, collect = wanted(work, "enqueue_step"), wanted(work, "collect")
    seen: dict[int, Looked] = {}

    def looked_enqueue(device: Device, streams: Streams, slot: Slot) -> None:
        seen[slot.number] = Looked(device, streams.compute, slot, ended)
        enqueue(device, streams, seen[slot.number])

    def looked_collect(device: Device, slot: Slot) -> Any:  # noqa: ANN401 - a student's
        return collect(device, seen[slot.number])

    return Program(looked_enqueue, looked_collect)


LATER = (("order", 2), ("ends", 1), ("no_gap", 1))
"""Checks of what is left, with their points: looked at once the host only enqueues."""


def _waits(served: Served) -> list[Op]:
    """The operations with which the host waited while it should only have enqueued."""
    ops = served.device.log.ops
    calls = (op for first, last in served.in_enqueue for op in ops[first:last])
    least_ns = served.device.cost.event_ns
    return [op for op in calls if op.kind in SYNCS and op.issue_ns - op.call_ns > least_ns]


def _race(hazards: list[Hazard]) -> str:
    """The missing wait that the first hazard names."""
    hazard = hazards[0]
    return EDGES.get((hazard.resource, hazard.missing_edge), "other_hazard")


def _ends(served: Served) -> set[tuple[int, int]]:
    """The rows that have ended, by step."""
    return {
        (step, row)
        for step, tokens in enumerate(served.expected)
        for row, token in enumerate(tokens)
        if token % END == 0
    }


def _speed(served: Served) -> str:
    """Whether one wait for one thing is what is left."""
    if served.waits_for_everything:
        return "whole_device"
    if any(op.name in LOOKS for op in served.device.log if op.kind in SYNCS):
        return "look_in_collect"
    return "gap" if served.idle_share > MOST_IDLE else "ok"
