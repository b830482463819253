"""What a run is judged by: tokens, hazards, invariants, gaps, peaks, errors.

Three independent verdicts (tokens against the synchronous baseline, the happens-before
checker, the invariants) and beside them G, M and E. Each letter means:
T tokens differ · H hazards · G one cause's share of idle time is at least 0.5 points above
the asynchronous baseline · I an invariant is broken · M a peak lies above its bound ·
E an error was reported.
"""

from dataclasses import dataclass
from typing import Any

from engine.execution import Run, baseline
from engine.oplog import OpKind
from traces import device_activity, find_gaps, gaps_by_cause

GAP_POINTS = 0.005
"""How much larger (as a share of the wall time) a cause's idle time must be to count."""


@dataclass(frozen=True)
class TokenDiff:
    """Output tokens against the synchronous baseline. `first_step` is -1 when all are right.

    `wrong` maps request id to the positions whose token differs, is missing or is too many.
    """

    wrong: dict[str, list[int]]
    total: int
    first_step: int

    @property
    def count(self) -> int:
        """Wrong tokens of all requests."""
        return sum(len(positions) for positions in self.wrong.values())


def diff_tokens(result: Run) -> TokenDiff:
    """Compare token for token; a run cut by `steps` on the common prefix of each request."""
    truth = {r.id: r.tokens for r in baseline(result.config).requests}
    cut = result.config.steps is not None
    wrong: dict[str, list[int]] = {}
    total = 0
    for request in result.requests:
        expected = truth.get(request.id, [])
        pairs = range(min(len(expected), len(request.tokens)))
        positions = [i for i in pairs if expected[i] != request.tokens[i]]
        if not cut:
            longest = max(len(expected), len(request.tokens))
            positions += range(len(pairs), longest)
        total += len(pairs) if cut else len(expected)
        if positions:
            wrong[request.id] = positions
    return TokenDiff(wrong, total, _first_wrong_step(result, wrong))


def _first_wrong_step(result: Run, wrong: dict[str, list[int]]) -> int:
    """The step that committed the first wrong token, or would have (-1: none)."""
    steps = []
    for request in result.requests:
        if request.id in wrong:
            committed = request.committed_at
            position = wrong[request.id][0]
            steps.append(committed[position] if position < len(committed) else result.steps)
    return min(steps, default=-1)


@dataclass(frozen=True)
class Figures:
    """The numbers of a run. Times in ms; shares between 0 and 1."""

    wall_ms: float
    gpu_active: float
    gpu_idle_ms: float
    step_ms: float
    gaps: dict[str, float]
    peak: dict[str, int]
    measured_gpu_ms: float


def figures(result: Run) -> Figures:
    """Busy and idle time by interval union of the kernels over the wall time."""
    wall_ns = result.wall_ns
    busy = sum(device.compute_ns for device in device_activity(result.trace))
    gaps = gaps_by_cause(find_gaps(result.trace))
    return Figures(
        wall_ms=wall_ns / 1e6,
        gpu_active=busy / wall_ns if wall_ns else 0.0,
        gpu_idle_ms=(wall_ns - busy) / 1e6,
        step_ms=wall_ns / 1e6 / max(1, result.steps),
        gaps={cause: ns / 1e6 for cause, ns in gaps.items()},
        peak={
            "kv_blocks": result.parts.pool.peak_in_use,
            "inflight_tokens": result.parts.ledger.peak_in_flight,
            "device_bytes": result.device.memory.peak_device_bytes,
            "host_bytes": result.device.memory.peak_host_bytes,
        },
        measured_gpu_ms=_measured_gpu_ms(result),
    )


def _measured_gpu_ms(result: Run) -> float:
    """GPU time a step as the engine's own timer sees it (ms).

    Between device events it is right; a host clock read right after the launch sees only
    how long launching took.
    """
    spans: dict[int, list[int]] = {}
    by_events = result.config.mechanisms.timer == "events"
    for op in result.device.log:
        if op.kind is OpKind.KERNEL:
            start, end = (op.start_ns, op.end_ns) if by_events else (op.call_ns, op.issue_ns)
            known = spans.setdefault(op.step, [start, end])
            known[1] = max(known[1], end)
    return sum(end - start for start, end in spans.values()) / 1e6 / max(1, len(spans))


def own_gaps(result: Run, numbers: Figures | None = None) -> dict[str, float]:
    """Causes whose share of idle time is GAP_POINTS above the async baseline's (share)."""
    numbers = numbers or figures(result)
    reference = figures(baseline(result.config, asynchronous=True))
    found = {}
    for cause, ms in numbers.gaps.items():
        share = ms / numbers.wall_ms - reference.gaps.get(cause, 0.0) / reference.wall_ms
        if share >= GAP_POINTS:
            found[cause] = share
    return found


def peaks_over_bound(result: Run) -> list[str]:
    """Peaks above what the configuration allows, one sentence each."""
    config = result.config
    bound = config.mechanisms.depth * config.workload.max_batched_tokens
    peak = result.parts.ledger.peak_in_flight
    found = []
    if peak > bound:
        found.append(f"{peak} tokens were in flight, {bound} are allowed")
    return found


def letters(result: Run, *, gaps: bool = True) -> frozenset[str]:
    """The verdict letters of a run: a subset of T H G I M E (G only where `gaps` asks)."""
    checks: dict[str, Any] = {
        "T": result.config.compute and diff_tokens(result).count,
        "H": result.hazards,
        "G": own_gaps(result) if gaps else {},
        "I": result.invariants,
        "M": peaks_over_bound(result),
        "E": result.errors,
    }
    return frozenset(letter for letter, seen in checks.items() if seen)
