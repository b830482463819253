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

GAP_POINTS = 0.005
"""How much larger (as a share of the wall time) a cause's idle time must be to count."""


@dataclass(frozen=True)
class TokenDiff:
    """Output tokens against the synchronous baseline. `first_step` is -1 when all are right.

    `wrong` maps request id to the positions whose token differs, is missing or is too many;
    `total` counts the positions that either run has.
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
    truth = {request.id: request.tokens for request in baseline(result.config).requests}
    mine = {request.id: request.tokens for request in result.requests}
    cut = result.config.steps is not None
    wrong: dict[str, list[int]] = {}
    total = 0
    for name in dict.fromkeys([*truth, *mine]):
        expected, got = truth.get(name, []), mine.get(name, [])
        shared = min(len(expected), len(got))
        longest = shared if cut else max(len(expected), len(got))
        positions = [i for i in range(shared) if expected[i] != got[i]]
        positions += range(shared, longest)
        total += longest
        if positions:
            wrong[name] = positions
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
