"""Every racing mode held open, and every correct one: in how many real runs do tokens go wrong?

    python -m benchmarks.measured_races --runs 10 --correct-runs 50 --out docs/measured-races.md

Runs each mode so many times on a device that measures. What should come first in a race is held
back (`--widen`); in a correct mode all copies are, for less time. Goals: wrong tokens in all runs
of each racing mode and in none of a correct one, and in every run the races that the checker finds
on the modelled clock. Returns 1 where one is missed.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from benchmarks.race_modes import CORRECT, LATE, RACING, races  # noqa: E402
from benchmarks.report import load, machine, table  # noqa: E402
from engine import configure, execute  # noqa: E402
from engine.devices import DEVICES  # noqa: E402

CORRECT_WIDEN_MS = 3
LATE_FACTOR = 2
"""Modes that race late are held back so many times as long: three layers share it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a mode's runs: how many gave `wrong` tokens, how many found the predicted
    races (`same`), and the number of races that are predicted."""

    mode: str
    runs: int
    wrong: int
    same: int
    races: int

    @property
    def as_it_should(self) -> bool:
        """True where all runs of a racing mode went wrong and none of a correct one."""
        return self.same == self.runs and self.wrong == (self.runs if self.mode in RACING else 0)


def try_mode(mode: str, device: str, runs: int, steps: int | None, widen_ms: int) -> Outcome:
    """Run a mode so many times; those that race late are run to their end, others for `steps`."""
    held_ms = widen_ms if mode in RACING else CORRECT_WIDEN_MS
    if mode in LATE:
        held_ms, steps = LATE_FACTOR * widen_ms, None
    config = configure(mode, device=device, steps=steps, widen_ms=held_ms)
    predicted = races(execute(config.prediction))
    wrong = same = 0
    for _ in range(runs):
        result = execute(config)
        wrong += bool(result.token_diff and result.token_diff.count)
        same += races(result) == predicted
    return Outcome(mode, runs, wrong, same, len(predicted))


def page(
    outcomes: Sequence[Outcome], device: str, steps: int, widen_ms: int, loads: tuple[str, str]
) -> str:
    """The report as Markdown."""
    late = ", ".join(f"`{mode}`" for mode in LATE)
    rows = [
        (
            f"`{outcome.mode}`", f"{outcome.wrong} of {outcome.runs}", outcome.races,
            f"{outcome.same} of {outcome.runs}", "" if outcome.as_it_should else "NOT AS EXPECTED",
        )
        for outcome in outcomes
    ]  # fmt: skip
    head = ("mode", "runs with wrong tokens", "races predicted", "runs with just these", "")
    return f"""# Races, run for real

Written by `python -m benchmarks.measured_races --device {device}`. What should come first in a
race is held back for {widen_ms} ms, all copies of a correct mode for {CORRECT_WIDEN_MS} ms; runs
are cut after {steps} steps. Modes that race late are run to their end and held back
{LATE_FACTOR} times as long: {late}.

Races are those that the happens-before checker finds in the log of operations, by kind, resource
and missing edge; predicted is what it finds on `virtual`.

- Machine: {machine()}
- Load: {loads[0]} processes wanted a core in the minute before, {loads[1]} in the last minute.

{table(head, rows)}"""


def main() -> int:
    """Run all modes and print; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.measured_races", description=__doc__
    )
    measuring = [name for name, kind in DEVICES.items() if kind.measures]
    parser.add_argument("--device", default="threads", choices=measuring)
    parser.add_argument("--runs", type=int, default=10, help="of each racing mode")
    parser.add_argument("--correct-runs", type=int, default=50, help="of each correct mode")
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--widen", type=int, default=80, metavar="MS")
    parser.add_argument("--modes", nargs="+", choices=(*RACING, *CORRECT), metavar="MODE")
    parser.add_argument("--out", type=Path, metavar="FILE.md", help="write the report")
    options = parser.parse_args()
    if missing := DEVICES[options.device].missing():
        print(missing, file=sys.stderr)
        return 2
    before, outcomes = load(), []
    for mode in options.modes or (*RACING, *CORRECT):
        runs = options.runs if mode in RACING else options.correct_runs
        outcome = try_mode(mode, options.device, runs, options.steps, options.widen)
        print(outcome, flush=True)
        outcomes.append(outcome)
    loads = before, load()
    text = page(outcomes, options.device, options.steps, options.widen, loads)
    if options.out is not None:
        options.out.write_text(text, encoding="utf-8")
    return int(not all(outcome.as_it_should for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
