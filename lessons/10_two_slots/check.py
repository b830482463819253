"""Lesson 10: the student's rotation with many depths and numbers of slots."""

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from engine.device.api import Device
from lessons.checks import Check, Verdict
from lessons.given import shown, whole
from lessons.judging import wanted
from lessons.lesson import Lesson
from lessons.pipeline import Program, Served, Slot, Streams, serve, try_timings
from lessons.questions import check_answers

ENOUGH = ((1, 1), (2, 2), (2, 3), (3, 3), (4, 4))
FEW = ((2, 1), (3, 2), (4, 2))
"""(batches in flight, slots)."""

SHAPES = len(ENOUGH) + len(FEW)

MOST_IDLE = 0.01
RESOURCES = {"host inputs": "host_inputs", "device inputs": "device_inputs"}


def check(work: ModuleType, lesson: Lesson) -> Verdict:
    """Serve with every shape; the order within a step is that of lesson 07."""
    answers = check_answers(work, lesson).checks
    slot_of, before_reuse = wanted(work, "slot_of"), wanted(work, "before_reuse")
    for _, slots in (*ENOUGH, *FEW):
        for step in range(8):
            given = slot_of(step, slots)
            slot = whole(given)
            if slot is None or not 0 <= slot < slots:
                values = {"step": step, "slots": slots, "given": shown(given), "last": slots - 1}
                return Verdict([Check("slots", False, "not_a_slot", 4, values), *answers])
    program = Program(enqueue, collect, slot_of, before_reuse)
    few, enough = (_safe(program, shapes) for shapes in (FEW, ENOUGH))
    speed = _speed(program) if few[0] == enough[0] == "ok" else ("order_first", {}, None)
    return Verdict(
        [
            Check("slots", True),
            *(
                Check(name, found[0] == "ok", found[0], values=found[1])
                for name, found in (("few", few), ("enough", enough), ("no_gap", speed))
            ),
            *answers,
        ],
        few[2] or enough[2] or speed[2],
    )


Found = tuple[str, dict[str, Any], Any]
"""A message, its values, and the trace of the run that shows it."""


def _safe(program: Program, shapes: Sequence[tuple[int, int]]) -> Found:
    """The first race or wrong token over all shapes and timings."""
    for depth, slots in shapes:
        plain = serve(program, depth=depth, slots=slots)
        racing, wrong = try_timings(program, plain, share=SHAPES, depth=depth, slots=slots)
        shown = racing or wrong
        if shown is not None:
            values = {"depth": depth, "slots": slots}
            return _race(racing), values, shown.trace("lesson 10")
    return "ok", {}, None


def _race(served: Served | None) -> str:
    if served is None:
        return "wrong_tokens"
    return RESOURCES.get(served.hazards[0].resource, "outputs")


def _speed(program: Program) -> Found:
    """The first shape with enough slots that leaves the GPU idle between steps."""
    for depth, slots in ENOUGH:
        served = serve(program, depth=depth, slots=slots)
        values = {"depth": depth, "slots": slots}
        if served.waits_for_everything:
            return "whole_device", values, served.trace("lesson 10")
        if depth > 1 and served.idle_share > MOST_IDLE:
            return "gap", values, served.trace("lesson 10")
    return "ok", {}, None


def enqueue(device: Device, streams: Streams, slot: Slot) -> None:
    """One step, with the least waits."""
    h2d, compute, d2h = streams
    h2d.copy(slot.device_inputs, slot.host_inputs, slot.rows)
    h2d.record(slot.h2d_done)
    compute.wait(slot.h2d_done)
    for kernel in slot.forward:
        compute.launch(kernel)
    compute.record(slot.compute_done)
    d2h.wait(slot.compute_done)
    d2h.copy(slot.host_outputs, slot.device_outputs, slot.rows)
    d2h.record(slot.d2h_done)


def collect(device: Device, slot: Slot) -> list[int]:
    """The host waits for the results of a step, and reads them."""
    slot.d2h_done.synchronize()
    return device.read("read tokens", slot.host_outputs, slot.rows)
