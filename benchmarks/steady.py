"""A run without its beginning and end: prefill, warm-up and captured graphs are not its pace.

And pairs of a synchronous and an asynchronous run whose decode steps have one padded shape: only
then are the tokens of numbers as short as bf16 the same whatever the order of work.
"""

from dataclasses import dataclass, replace

from engine import Run, configure, execute
from engine.config import RunConfig
from engine.model.sizes import RANDOM
from engine.oplog import OpKind
from engine.results.service import step_times
from engine.workloads.presets import WORKLOADS
from traces.intervals import intersection, total, union
from traces.step_parts import engine_parts

PROMPT, OUTPUT = 500, 96
"""Bytes of each prompt and tokens of each output: with a long context attention counts, too."""


@dataclass(frozen=True, slots=True)
class Steady:
    """The pace of some steps: wall time a step (ms), the share of it in which a kernel
    ran, and max(G, C + F) of these steps in the mean (ms)."""

    step_ms: float
    active: float
    bound_ms: float


def steady(run: Run) -> Steady:
    """The pace of the middle third of the steps. Raises ValueError where there is none."""
    first, last = run.steps // 3, 2 * run.steps // 3
    if last <= first:
        raise ValueError(f"{run.steps} steps are too few to tell a pace")
    begun = step_times(run.device.spans).begun
    start, end = begun[first], begun[last]
    ops = [op for op in run.device.log if op.kind is OpKind.KERNEL]
    busy = union([op.start_ns for op in ops], [op.end_ns for op in ops])
    busy_ns = total(intersection(busy, union([start], [end])))
    parts = engine_parts(run.trace)[first:last]
    bound_ns = sum(max(part.compute_ns, part.host_ns) for part in parts)
    steps = last - first
    return Steady((end - start) / steps / 1e6, busy_ns / (end - start), bound_ns / steps / 1e6)


def saved(sync: Steady, overlapped: Steady) -> float:
    """How much of the time that could be saved is saved, as a share: 1 is max(G, C + F)."""
    possible = sync.step_ms - sync.bound_ms
    return (sync.step_ms - overlapped.step_ms) / possible if possible > 0 else 0.0


def padded(mode: str, device: str, model: str, batch: int, graphs: bool) -> RunConfig:
    """`batch` requests of one length that start and end together. With `graphs` each decode step
    replays one of `batch` rows and of the blocks of a whole request, whoever has ended."""
    long = device == "cuda" and model in RANDOM and RANDOM[model].max_positions > PROMPT + OUTPUT
    workload = replace(
        WORKLOADS["even"].with_batch(batch), name="even-long" if long else "even",
        count=batch, shortest=OUTPUT, longest=OUTPUT,
        prompt_shortest=PROMPT if long else 0, prompt_longest=PROMPT if long else 0,
    )  # fmt: skip
    if long:
        blocks = -(-(PROMPT + OUTPUT + 4) // workload.block_size) + 1
        workload = replace(workload, max_batched_tokens=2048, kv_blocks=batch * blocks)
    return configure(
        mode, device=device, model=model, workload=workload,
        set={"graphs": "shared" if graphs else "off"},
    )  # fmt: skip


def shapes(run: Run) -> list[str]:
    """The graphs that a run replays, without the slots."""
    return sorted({op.graph.partition(",")[0] for op in run.device.log if op.graph})


def pair(device: str, model: str, batch: int, graphs: bool) -> tuple[Run, Run]:
    """A synchronous and an asynchronous run of the same work."""
    sync, overlapped = (
        execute(padded(mode, device, model, batch, graphs)) for mode in ("sync", "async")
    )
    return sync, overlapped
