"""Lesson 11: every replay on its own slot, one pool, and nothing captured late."""

from pathlib import Path
from types import ModuleType
from typing import Any

from engine.checker.hazards import find_hazards
from engine.oplog import OpKind
from engine.results.dump import build_trace
from lessons import pipeline
from lessons.checks import Check, Verdict
from lessons.given import shown, whole
from lessons.judging import wanted
from lessons.lesson import Lesson
from lessons.programs import functions_of
from traces import Trace

SLOTS = (2, 3)

REST_ON_THE_SLOT = ("large_enough", "right_tokens", "captured_before", "no_wait")

NAMES = ("right_slot", "large_enough", "right_tokens", "one_pool", "captured_before", "no_wait")


def check(work: ModuleType, lesson: Lesson) -> Verdict:
    """Serve on two slots and on three, under several timings; then the step that was asked for."""
    lab = functions_of(lesson.folder)
    capture_all, graph_for = wanted(work, "capture_all"), wanted(work, "graph_for")
    found: dict[str, tuple[str, dict[str, Any]]] = dict.fromkeys(NAMES, ("ok", {}))
    shown: Trace | None = None
    for slots in SLOTS:
        for timing in range(-(-pipeline.TIMINGS // (2 * len(SLOTS)))):
            jitter = pipeline.JITTER_PERCENT if timing else 0.0
            server = lab.make_server(slots, jitter, timing)
            capture_all(server.capture, lab.Pool, slots, lab.SIZES)
            lab.serve(server, graph_for)
            faults = {name: fault for name, fault in _faults(server).items() if fault[0] != "ok"}
            if faults and shown is None:
                shown = _trace(server)
            found |= {name: fault for name, fault in faults.items() if found[name][0] == "ok"}
        if found["right_slot"][0] != "ok":
            found |= {name: ("choose_first", {}) for name in REST_ON_THE_SLOT}
            break
    checks = [Check(n, m == "ok", m, 2 if n == "right_slot" else 1, v)
              for n, (m, v) in found.items()]  # fmt: skip
    checks.append(_step(getattr(work, "wrong_step", None), lab))
    return Verdict(checks, shown or _trace(server))


def _faults(server: Any) -> dict[str, tuple[str, dict[str, Any]]]:  # noqa: ANN401 - of the folder
    """For each check a message and its values; what rests on another waits for it."""
    mixed = [r for r in server.replayed if r.graph_slot != r.slot]
    small = [r for r in server.replayed if r.size < r.rows]
    faults: dict[str, tuple[str, dict[str, Any]]] = {}
    if mixed:
        at = mixed[0]
        values = {"step": at.step, "slot": at.slot, "other": at.graph_slot}
        faults["right_slot"] = "wrong_slot", values | {"slots": len(server.slots)}
    if small:
        at = small[0]
        faults["large_enough"] = "too_small", {"step": at.step, "rows": at.rows, "size": at.size}
    wrong = server.tokens != server.expected or bool(find_hazards(server.device.log))
    if wrong:
        faults["right_tokens"] = ("choose_first" if mixed or small else "wrong_tokens"), {}
    if len(server.pools) > 1:
        faults["one_pool"] = "private_pools", {"count": len(server.pools)}
    if server.late_captures:
        faults["captured_before"] = "captured_late", {"count": server.late_captures}
    if any(op.kind is OpKind.SYNC_DEVICE for op in server.device.log):
        faults["no_wait"] = "whole_device", {}
    return faults


def _step(given: object, lab: ModuleType) -> Check:
    """The first step at which the given code replays a graph of the other slot."""
    truth = next(op.step for op in lab.faulty().log if op.graph and _slot_of(op.graph) != op.slot)
    if given is None:
        return Check("step", False, "unanswered")
    step = whole(given)
    if step is None:
        return Check("step", False, "not_a_step")
    message = "ok" if step == truth else "other_step"
    return Check("step", step == truth, message, values={"given": shown(step)})


def _slot_of(graph: str) -> int:
    return int(graph.rpartition(" ")[2])


def _trace(server: Any) -> Trace:  # noqa: ANN401
    about = {"exercise": f"lesson {Path(__file__).parent.name[:2]}"}
    return build_trace(server.device.log, server.device.spans, [], about)
