"""A run as plain values: what `--json` prints, and what pages and scripts read."""

from dataclasses import asdict
from typing import Any

from engine.execution import Run
from engine.mechanisms.table import TABLE
from engine.modes.table import MODES
from engine.results.verdict import letters, peaks_over_bound
from engine.workloads.presets import WORKLOADS


def run_report(result: Run) -> dict[str, Any]:
    """The run's figures and verdicts. Times in ms; `first_wrong_step` is None when all is right.

    Without compute no token can be compared: `wrong_tokens` is 0 and `total_tokens` counts
    the committed ones.
    """
    numbers = result.figures
    diff = result.token_diff
    if diff is not None:
        wrong, total, first = diff.count, diff.total, diff.first_step
    else:
        wrong, total, first = 0, sum(r.committed for r in result.requests), -1
    return {
        "mode": result.config.mode,
        "device": result.config.device,
        "steps": result.steps,
        "wall_ms": numbers.wall_ms,
        "gpu_active": numbers.gpu_active,
        "gpu_idle_ms": numbers.gpu_idle_ms,
        "wrong_tokens": wrong,
        "total_tokens": total,
        "first_wrong_step": None if first < 0 else first,
        "hazards": [hazard.to_json() for hazard in result.hazards],
        "gaps": numbers.gaps,
        "invariants": [str(said) for said in (*result.invariants, *peaks_over_bound(result))],
        "errors": [str(said) for said in result.errors],
        "peak": numbers.peak,
        "speculation": _speculation(result),
        "step_ms": numbers.step_ms,
        "measured_gpu_ms": numbers.measured_gpu_ms,
        "service": asdict(result.service),
        "wasted_rows": numbers.wasted_rows,
        "toggles": result.config.mechanisms.settings(),
        "cost": result.config.cost.name,
        "workload": result.config.workload.name,
        "seed": result.config.seed,
    }


def _speculation(result: Run) -> dict[str, Any] | None:
    """Drafts proposed and accepted, their ratio, and committed tokens a step; None without."""
    speculation = result.parts.speculation
    if speculation is None:
        return None
    proposed, accepted = speculation.proposed, speculation.accepted
    return {
        "proposed": proposed,
        "accepted": accepted,
        "acceptance": accepted / max(1, proposed),
        "tokens_per_step": sum(r.committed for r in result.requests) / max(1, result.steps),
    }


def is_bad(result: Run) -> bool:
    """True when something is wrong with the results (a mere gap is not)."""
    return bool(letters(result, gaps=False))


def modes_report() -> list[dict[str, Any]]:
    """Every mode: name, group, summary, toggles, expected verdict letters."""
    return [
        {
            "name": mode.name,
            "group": mode.group,
            "summary": mode.summary,
            "toggles": dict(mode.toggles),
            "expect": [letter for letter in "THGIME" if letter in mode.expect],
            "workload": mode.workload,
            "cost": mode.cost,
            "seed": mode.seed,
        }
        for mode in MODES.values()
    ]


def mechanisms_report() -> list[dict[str, Any]]:
    """Every toggle with its values, the correct one first."""
    return [
        {
            "name": info.name,
            "group": info.group,
            "values": list(info.values),
            "correct": info.correct,
            "protects": info.protects,
            "seen_when_wrong": info.seen_when_wrong,
            "in_the_wild": info.in_the_wild,
        }
        for info in TABLE
    ]


def workloads_report() -> list[dict[str, Any]]:
    """Every workload preset: its name, its sentence, its numbers."""
    return [asdict(workload) for workload in WORKLOADS.values()]
