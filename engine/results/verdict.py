"""What a run is judged by: tokens, hazards, invariants, gaps, peaks, errors.

Three independent verdicts (tokens against the synchronous baseline, the happens-before
checker, the invariants) and beside them G, M and E. Each letter means:
T tokens differ · H hazards · G one cause's share of idle time is at least 0.5 points above
the asynchronous baseline · I an invariant is broken · M a peak lies above its bound ·
E an error was reported.
"""

from typing import Any

from engine.execution import Run, baseline
from engine.said import Said

GAP_POINTS = 0.005
"""How much larger (as a share of the wall time) a cause's idle time must be to count."""


def own_gaps(result: Run) -> dict[str, float]:
    """Causes whose share of idle time is GAP_POINTS above the async baseline's (share)."""
    numbers = result.figures
    reference = baseline(result.config, asynchronous=True).figures
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
    found: list[str] = []
    if peak > bound:
        found.append(Said("peak_in_flight", peak=peak, bound=bound))
    speculation = result.parts.speculation
    if speculation is not None and speculation.peak_kept:
        found.append(Said("peak_drafts", peak=speculation.peak_kept))
    graphs = result.parts.graphs
    if graphs is not None and graphs.pool_bytes > graphs.bound_bytes:
        count, taken = len(graphs.captured), graphs.pool_bytes
        found.append(Said("peak_pools", graphs=count, peak=taken, bound=graphs.bound_bytes))
    plan, blocks = result.parts.ledger.peak_plan, config.workload.kv_blocks
    if plan > blocks:
        found.append(Said("peak_plan", peak=plan, bound=blocks))
    return found


def letters(result: Run, *, gaps: bool = True) -> frozenset[str]:
    """The verdict letters of a run: a subset of T H G I M E (G only where `gaps` asks)."""
    checks: dict[str, Any] = {
        "T": result.token_diff and result.token_diff.count,
        "H": result.hazards,
        "G": own_gaps(result) if gaps else {},
        "I": result.invariants,
        "M": peaks_over_bound(result),
        "E": result.errors,
    }
    return frozenset(letter for letter, seen in checks.items() if seen)
