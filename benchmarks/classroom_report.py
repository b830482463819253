"""What `classroom.py` found, judged against what is promised, as data and as Markdown."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchmarks.report import load, machine, table

OPEN = "open the link"
MEDIAN_S, P95_S, IN_S, MEMORY_MIB = 1.0, 3.0, 10.0, 4096
GROWTH = 0.10
"""How much the memory may grow from the first minute's end to the end and still be called flat."""


class Act(NamedTuple):
    """What a learner did: when it began (s), how long it took, and the error that was shown."""

    kind: str
    began: float
    seconds: float
    error: str


def judged(
    options: Mapping[str, Any],
    acts: Sequence[Act],
    all_in_s: float,
    memory: Sequence[Sequence[float]],
) -> dict[str, Any]:
    """The result: `memory` are pairs of seconds since the opening and MiB of the server."""
    kinds = [OPEN, *sorted({act.kind for act in acts} - {OPEN})]
    interactions = times_of([act for act in acts if act.kind != OPEN])
    after = [mib for seconds, mib in memory if seconds >= 60] or [mib for _, mib in memory[-1:]]
    return {
        "machine": machine(),
        "load": load(),
        "options": dict(options),
        "kinds": {kind: times_of([act for act in acts if act.kind == kind]) for kind in kinds},
        "interactions": interactions,
        "all_in_s": round(all_in_s, 2),
        "memory_mib": [[round(seconds), round(mib)] for seconds, mib in memory],
        "errors": sorted({act.error for act in acts if act.error}),
        "kept": {
            "no error": not any(act.error for act in acts),
            f"everybody in within {IN_S:g} s": all_in_s <= IN_S,
            f"median of an interaction under {MEDIAN_S:g} s": interactions["median_s"] < MEDIAN_S,
            f"95th percentile under {P95_S:g} s": interactions["p95_s"] < P95_S,
            f"memory under {MEMORY_MIB} MiB": max(mib for _, mib in memory) < MEMORY_MIB,
            "memory flat after the first minute": after[-1] <= (1 + GROWTH) * after[0],
        },
    }


def times_of(acts: Sequence[Act]) -> dict[str, float]:
    """How many, how many with an error, and seconds."""
    ordered = sorted(act.seconds for act in acts) or [0.0]
    return {
        "count": len(acts),
        "errors": sum(bool(act.error) for act in acts),
        "median_s": round(statistics.median(ordered), 3),
        "p95_s": round(ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))], 3),
        "max_s": round(ordered[-1], 3),
    }


def markdown(result: Mapping[str, Any]) -> str:
    """The result as two tables."""
    options, memory = result["options"], result["memory_mib"]
    rows = [
        [kind, *times.values()]
        for kind, times in [
            *result["kinds"].items(),
            ("all but the opening", result["interactions"]),
        ]
    ]
    lines = [
        f"{options['learners']} learners, {options['minutes']:g} minutes, "
        f"processes behind HAProxy: {options['processes'] or 'none, one alone'}; on "
        f"{result['machine']} Load {result['load']}.",
        "",
        table(["act", "count", "errors", "median (s)", "p95 (s)", "max (s)"], rows),
        f"Everybody in after {result['all_in_s']} s. Memory of the server (MiB): "
        + ", ".join(f"{mib} at {seconds} s" for seconds, mib in spread(memory))
        + ".",
        "",
        table(
            ["promise", "kept"],
            ([what, "yes" if yes else "NO"] for what, yes in result["kept"].items()),
        ),
        *(f"- {error}" for error in result["errors"]),
    ]
    return "\n".join(lines)


def spread(memory: Sequence[Sequence[int]], most: int = 7) -> list[Sequence[int]]:
    """A few of the pairs, from the first to the last."""
    last = len(memory) - 1
    places = sorted({round(last * place / (most - 1)) for place in range(most)})
    return [memory[place] for place in places]
