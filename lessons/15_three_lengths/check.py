"""Lesson 15: the student's `settle` in the engine, watched batch by batch.

With three batches under way a request that ends has one or two rows too many; a small token
budget cuts prompts into parts, whose rows sample nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

from engine import Run, configure, execute
from engine.batch import Batch
from engine.loop import Loop
from engine.requests.request import Request
from engine.workloads.presets import WORKLOADS
from lessons.checks import Check, Verdict
from lessons.judging import wanted
from lessons.lesson import Lesson

DEPTH = 3
TOKEN_BUDGET = 48
"""Token rows a step: less than the prompts have."""

Fault = tuple[str, dict[str, Any]]
OK: Fault = ("ok", {})

CHECKS = {
    "rows": ("unfinished_prompt", "shifted", "lost", "twice"),
    "ends": ("past_end",),
    "lengths": ("more_committed", "more_computed"),
}
"""Which faults belong to which check."""


@dataclass
class Watch:
    """Calls the student's function, and keeps the first fault of each kind."""

    settle: Callable[..., object]
    faults: dict[str, Fault] = field(default_factory=dict)

    def call(self, batch: Batch, tokens: list[int]) -> None:
        """One batch; looks at what became of each of its requests."""
        rows = list(batch.launched)
        before = [(row.request.finished, len(row.request.tokens)) for row in rows]
        self.settle(rows, list(tokens), batch.step)
        for number, (row, (ended, length)) in enumerate(zip(rows, before, strict=True)):
            new = row.request.tokens[length:]
            values = {"step": batch.step, "row": number, "request": row.request.id}
            values |= {"given": new, "own": tokens[number]}
            self._note(_fault_of(new, tokens[number], row.samples, ended), values)
            self._note(_lengths(row.request), _counts(row.request))

    def _note(self, message: str, values: dict[str, Any]) -> None:
        for name, messages in CHECKS.items():
            if message in messages:
                self.faults.setdefault(name, (message, values))


def _fault_of(new: list[int], own: int, samples: bool, ended: bool) -> str:
    """What is wrong with the tokens that one row's request got."""
    if not samples:
        return "unfinished_prompt" if new else "ok"
    if ended:
        return "past_end" if new else "ok"
    if not new:
        return "lost"
    if len(new) > 1:
        return "twice"
    return "ok" if new == [own] else "shifted"


def _lengths(request: Request) -> str:
    if request.computed < len(request.tokens):
        return "more_committed"
    return "more_computed" if request.computed > request.scheduled else "ok"


def _counts(request: Request) -> dict[str, Any]:
    return {
        "request": request.id, "scheduled": request.scheduled, "computed": request.computed,
        "committed": len(request.tokens),
    }  # fmt: skip


def check(work: ModuleType, lesson: Lesson) -> Verdict:
    """Run the engine, and look at every batch and at the texts."""
    watch = Watch(wanted(work, "settle"))
    run = _run(watch)
    checks = [_check(name, watch.faults.get(name, OK)) for name in CHECKS]
    wrong = run.token_diff.count if run.token_diff is not None else 0
    fault = ("wrong_texts", {"count": wrong}) if wrong else OK
    return Verdict([*checks, _check("texts", fault)], run.trace)


def _check(name: str, fault: Fault) -> Check:
    return Check(name, fault[0] == "ok", fault[0], values=fault[1])


def _run(watch: Watch) -> Run:
    """The engine with the student's function where it settles a batch."""

    class Students(Loop):
        def finish(self, batch: Batch) -> None:
            device, parts, rows = self.device, self.parts, len(batch.launched)
            self.in_flight.remove(batch)
            self._enter(batch.step, batch)
            with device.host("wait"):
                batch.d2h_done.synchronize()
            with device.host("read", rows):
                output = parts.slots.host_outputs[batch.host_slot]
                tokens = device.read("read outputs", output, rows)
            with device.host("update state", rows):
                parts.ledger.settled(batch)
                for row in batch.launched:
                    row.request.in_flight -= 1
                watch.call(batch, tokens)
            with device.host("stream", rows):
                parts.stream(batch)
            with device.host("repeat"):
                self.scheduler.retire()

    workload = replace(WORKLOADS["endings"], max_batched_tokens=TOKEN_BUDGET)
    slots = {name: str(DEPTH) for name in ("depth", "device_slots", "host_slots")}
    return execute(configure("async", workload=workload, set=slots), loop_type=Students)
