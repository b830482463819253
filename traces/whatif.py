"""What asynchronous batching would give: the time of a run with and without overlap, predicted, and
the share of the recorded time that it would save.

From each step's C (host work up to the last launch), G (kernels) and F (host work after the
results) two loops are put together. Synchronous: one step after the other. Asynchronous: two
batches in flight, so that the host prepares the next one while the device computes. No order of
work can be faster than max(G, C + F) a step.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from traces.gap import CANNOT_TELL, Gap, gaps_by_cause
from traces.gaps import find_gaps, wall_ns
from traces.schema import Trace
from traces.step_parts import StepParts, engine_parts, window_parts
from traces.steps import Steps, find_steps
from traces.units import percent
from traces.unpaired import unpaired

NS_PER_MS = 1e6
MIN_STEPS = 2
MOST_LOST = 0.05
"""So many launches without an operation are a recording's edges; more are a lost GPU part."""

MOST_UNKNOWN = 0.2
"""Where more of a device's time is idle and nobody knows why, a prediction is a guess."""

ASSUMPTIONS = (
    "Every piece of work takes as long as in this trace, whatever runs beside it.",
    "Two batches are in flight, host memory is pinned, and each direction of copies has an "
    "engine and a stream of its own (where both share one engine, async takes longer).",
    "A step can be prepared without the tokens of the step before: they stay on the device.",
    "No step is added: a request that ends is found out one step late at no cost.",
)
FOREIGN_ASSUMPTIONS = (
    "What the launching thread does outside of waits is host work, whether traced or not; other "
    "threads never hold it up.",
    "The time between a launch and its start, and between a result and the host's waking up, is "
    "not counted.",
)
SEVERAL_GPUS = (
    "Of several GPUs, the one that the busiest thread launches most on is looked at; the others "
    "keep up with it."
)
A_GUESS = (
    "The steps are a guess: nothing marks them, the same launches only come back, and what looks "
    "like steps may be the layers of one."
)
EVERY_ASSUMPTION = (*ASSUMPTIONS, *FOREIGN_ASSUMPTIONS, SEVERAL_GPUS, A_GUESS)


@dataclass(frozen=True)
class WhatIf:
    """Predicted times of the recorded steps, in ns; `cannot_tell` says why there are none.

    `recorded_ns` is how long the same steps took, their last operations included.
    """

    parts: tuple[StepParts, ...] = ()
    recorded_ns: int = 0
    found_by: str = ""
    assumptions: tuple[str, ...] = ()
    cannot_tell: str = ""

    @property
    def sync_ns(self) -> int:
        """One step after the other."""
        return sum(step.alone_ns for step in self.parts)

    @property
    def async_ns(self) -> int:
        """Two batches in flight, filling and emptying the pipeline included."""
        return pipelined_ns(self.parts)

    @property
    def bound_ns(self) -> int:
        """The sum of max(G, C + F): what no order of work can beat."""
        return sum(max(step.compute_ns, step.host_ns) for step in self.parts)

    @property
    def saving(self) -> float:
        """The share of the recorded time that overlap would save, 0 to 1."""
        return max(0.0, 1 - self.async_ns / self.recorded_ns) if self.recorded_ns else 0.0

    @property
    def not_hidden(self) -> float:
        """Of the time in which the device computes nothing without overlap, the share that
        would be left with it, 0 to 1."""
        compute = sum(step.compute_ns for step in self.parts)
        waiting = self.sync_ns - compute
        return (self.async_ns - compute) / waiting if waiting > 0 else 0.0


def what_if(trace: Trace, gaps: Sequence[Gap] | None = None, steps: Steps | None = None) -> WhatIf:
    """The prediction for a trace; where that is incomplete, the sentence that says what is missing.

    `gaps` and `steps` are those of `find_gaps` and `find_steps`, where the caller has them.
    """
    if reason := _incomplete(trace, gaps):
        return WhatIf(cannot_tell=reason)
    steps = steps or find_steps(trace)
    if steps.count < MIN_STEPS:
        reason = (
            f"{'1 step' if steps.count else 'no steps'} found, and at least {MIN_STEPS} are "
            "needed: record more steps, and mark them (ProfilerStep, or an NVTX range a step)."
        )
        return WhatIf(found_by=steps.by, cannot_tell=reason)
    parts = engine_parts(trace) if trace.is_engine_dump else window_parts(trace, steps)
    if not parts:
        reason = "no host work says which step it belongs to: the host's part of the trace is lost."
        return WhatIf(found_by=steps.by, cannot_tell=reason)
    return WhatIf(tuple(parts), _recorded_ns(trace, steps), steps.by, _assumptions(trace, steps))


def pipelined_ns(parts: Sequence[StepParts]) -> int:
    """The time of the steps with two batches in flight (ns).

    The host prepares step n + 1 before it finishes step n; copies in, kernels and copies out
    each run in order, each as soon as what it needs is there. Where host and device worked
    together on a step before, the device starts so much before the preparation ends.
    """
    host = copied_in = computed = copied_out = 0
    waiting: list[tuple[int, int]] = []
    for step in parts:
        host += step.prepare_ns
        ready = host - min(step.together_ns, step.prepare_ns)
        copied_in = max(copied_in, ready) + step.copy_in_ns
        computed = max(max(copied_in, computed) + step.compute_ns, host)
        copied_out = max(computed, copied_out) + step.copy_out_ns
        waiting.append((copied_out, step.finish_ns))
        if len(waiting) > 1:
            there, finish = waiting.pop(0)
            host = max(host, there) + finish
    for there, finish in waiting:
        host = max(host, there) + finish
    return host


def as_json(result: WhatIf) -> dict[str, Any]:
    """The prediction as JSON holds it; times are None where nothing can be told. `saving` is the
    share of `recorded_ms`."""
    if result.cannot_tell:
        names = ("recorded_ms", "sync_ms", "async_ms", "bound_ms", "saving", "not_hidden")
        times = dict.fromkeys(names)
        return times | {"steps": 0, "assumptions": [], "cannot_tell": result.cannot_tell}
    count = len(result.parts)
    mean = {
        name: sum(getattr(step, f"{field}_ns") for step in result.parts) / count / NS_PER_MS
        for name, field in (
            ("C", "prepare"), ("G", "compute"), ("F", "finish"),
            ("copy_in", "copy_in"), ("copy_out", "copy_out"),
        )
    }  # fmt: skip
    return {
        "recorded_ms": result.recorded_ns / NS_PER_MS,
        "sync_ms": result.sync_ns / NS_PER_MS,
        "async_ms": result.async_ns / NS_PER_MS,
        "bound_ms": result.bound_ns / NS_PER_MS,
        "saving": result.saving,
        "not_hidden": result.not_hidden,
        "steps": count,
        "steps_by": result.found_by,
        "mean_step_ms": mean,
        "assumptions": list(result.assumptions),
        "cannot_tell": "",
    }


def as_text(prediction: dict[str, Any]) -> str:
    """What `as_json` returned, for a terminal."""
    if reason := prediction["cannot_tell"]:
        return f"cannot tell: {reason}"
    mean = prediction["mean_step_ms"]
    left = percent(prediction["not_hidden"])
    lines = [
        f"steps    {prediction['steps']:,} by {prediction['steps_by']}; a mean one: "
        f"C {mean['C']:,.3f} ms, G {mean['G']:,.3f} ms, F {mean['F']:,.3f} ms, copies "
        f"{mean['copy_in']:,.3f} ms in and {mean['copy_out']:,.3f} ms out",
        f"recorded {prediction['recorded_ms']:12,.3f} ms  as it was, the last operations included",
        f"sync     {prediction['sync_ms']:12,.3f} ms  one step after the other",
        f"async    {prediction['async_ms']:12,.3f} ms  two batches in flight: "
        f"{percent(prediction['saving'])} of recorded saved",
        f"bound    {prediction['bound_ms']:12,.3f} ms  max(G, C + F) of each step",
        f"left     {left} of the time without a kernel cannot be hidden",
    ]
    return "\n".join(lines + [f"assumed  {line}" for line in prediction["assumptions"]])


def _assumptions(trace: Trace, steps: Steps) -> tuple[str, ...]:
    if trace.is_engine_dump:
        return ASSUMPTIONS
    several = (SEVERAL_GPUS,) if len(trace.devices) > 1 else ()
    guess = (A_GUESS,) if steps.is_guess else ()
    return ASSUMPTIONS + FOREIGN_ASSUMPTIONS + several + guess


def _recorded_ns(trace: Trace, steps: Steps) -> int:
    """How long the steps took (ns); a run of this lab from its first host work on."""
    start, end = wall_ns(trace)
    if trace.is_engine_dump:
        return end - start
    ops = trace.gpu_spans()
    end = max(steps.steps[-1].end_ns, int((ops["ts_ns"] + ops["dur_ns"]).max()))
    return end - steps.steps[0].start_ns


def _incomplete(trace: Trace, gaps: Sequence[Gap] | None) -> str:
    """What a trace lacks for a prediction; empty where nothing is."""
    ops = trace.gpu_spans()
    host = trace.host_spans()
    if ops.empty:
        return "no GPU work is recorded: record with the activity of the GPU switched on."
    if trace.meta.get("cut_off"):
        return "the file was cut off, so steps and launches are missing."
    if host.empty:
        return "no host work is recorded: record with the CPU activity switched on."
    calls, lost, _ = unpaired(trace)
    if not trace.is_engine_dump and len(lost) > MOST_LOST * len(calls):
        return (
            f"{len(lost):,} of {len(calls):,} launches have no operation: GPU events are missing."
        )
    if not (trace.flows["kind"] == "launch").any():
        return "no operation can be traced back to its launch."
    return _unknown(trace, find_gaps(trace) if gaps is None else gaps)


def _unknown(trace: Trace, gaps: Sequence[Gap]) -> str:
    causes = gaps_by_cause(gaps)
    unknown = sum(ns for cause, ns in causes.items() if cause.startswith(CANNOT_TELL))
    ops = trace.gpu_spans()
    span = int((ops["ts_ns"] + ops["dur_ns"]).max() - ops["ts_ns"].min()) * len(trace.devices)
    if unknown > MOST_UNKNOWN * span:
        return (
            f"in {percent(unknown / span)} of the time the GPU is idle for a reason that the trace "
            "does not show, as in a recording that was cut out of a longer one."
        )
    return ""
