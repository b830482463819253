"""Synchronous against asynchronous on a device, against their prediction, and what tracing costs.

    nice -n -15 python -m benchmarks.overlap --device threads --out docs/overlap.md

Runs pairs of a synchronous and an asynchronous run, nothing paced, and fits a cost model from each
synchronous one: the modelled clock then says how the pair should compare. `--device cuda` needs a
GPU and a larger model (`--model 1b --batch 32`); on `virtual` everything must come out as
predicted. Returns 1 where a goal is missed. The other processes of the machine are measured, too:
stop them.
"""

import argparse
import math
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median, stdev

os.environ.setdefault("OMP_NUM_THREADS", "1")  # host and worker have a core each

from benchmarks.report import load, machine, table  # noqa: E402
from benchmarks.spanless import Overhead, overheads  # noqa: E402
from engine import Run, baseline, configure, execute  # noqa: E402
from engine.config import RunConfig  # noqa: E402
from engine.devices import DEVICES  # noqa: E402
from engine.measured.fit import fit_cost  # noqa: E402
from engine.model.sizes import MODELS, RANDOM, TRAINED, parameters  # noqa: E402
from engine.results.token_diff import diff_tokens  # noqa: E402
from traces.whatif import what_if  # noqa: E402

ACTIVE, DEVIATION, OVERHEAD = 0.98, 0.08, 0.02
"""The goals: GPU active at least, ratio off its prediction and overhead of spans at most."""

MISSED, UNCLEAR = "MISSED", "unclear: the machine is busy"

OVERHEAD_STEPS, OVERHEAD_PAIRS = 60, 40


@dataclass(frozen=True, slots=True)
class Pair:
    """A synchronous run and the asynchronous one behind it.

    `active` are shares of the wall time, `step` times in ms. `ratio` is asynchronous over
    synchronous wall time, `predicted` that ratio on the modelled clock, `to_bound` the
    asynchronous time over that of max(G, C + F) a step. `wrong` tokens of both together.
    """

    sync_active: float
    async_active: float
    sync_step: float
    async_step: float
    ratio: float
    predicted: float
    to_bound: float
    wrong: int

    @property
    def deviation(self) -> float:
        """How far the ratio is from its prediction, as a share of that."""
        return self.ratio / self.predicted - 1


def measure(config: RunConfig, truth: Run | None) -> Pair:
    """One pair. `config` is the asynchronous run's, `truth` says which tokens are right."""
    sync = execute(config.baseline(asynchronous=False))
    overlapped = execute(config)
    cost = fit_cost(sync.trace)
    walls = [
        execute(replace(run.config.prediction, cost=cost, compute=False)).wall_ns
        for run in (overlapped, sync)
    ]
    return Pair(
        sync.figures.gpu_active, overlapped.figures.gpu_active,
        sync.figures.step_ms, overlapped.figures.step_ms,
        overlapped.wall_ns / sync.wall_ns, walls[0] / walls[1],
        overlapped.wall_ns / what_if(sync.trace).bound_ns,
        sum(wrong_tokens(run, truth) for run in (sync, overlapped)),
    )  # fmt: skip


def wrong_tokens(run: Run, truth: Run | None) -> int:
    """Tokens other than the true run's; those of the same device where there is none."""
    if truth is None:
        return run.token_diff.count if run.token_diff else 0
    return diff_tokens(run.requests, truth.requests, run.steps, cut=True).count


Row = tuple[str, str, str, str, str, str]


def row(
    name: str, values: Sequence[float], shown: Callable[[float], str],
    goal: str = "", met: Callable[[float], bool] | None = None, most_error: float = math.inf,
) -> Row:  # fmt: skip
    """A figure's line of the table; the median is held against the goal, unless the values are so
    uneven that their mean is off by more than `most_error`: then nothing is said."""
    error = stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    verdict = "" if met is None else "met" if met(median(values)) else MISSED
    if verdict and error > most_error:
        verdict = UNCLEAR
    low, middle, high = (shown(value) for value in (min(values), median(values), max(values)))
    return name, low, middle, high, goal, verdict


def rows(pairs: Sequence[Pair], tracing: Sequence[Overhead]) -> list[Row]:
    """All lines of the table."""

    def column(name: str) -> list[float]:
        return [getattr(pair, name) for pair in pairs]

    found = [
        row("GPU active, sync", column("sync_active"), share),
        row("GPU active, async", column("async_active"), share, f"at least {share(ACTIVE)}",
            lambda value: value >= ACTIVE),
        row("a step, sync", column("sync_step"), "{:.2f} ms".format),
        row("a step, async", column("async_step"), "{:.2f} ms".format),
        row("async / sync, wall time", column("ratio"), "{:.3f}".format),
        row("async / sync, predicted", column("predicted"), "{:.3f}".format),
        row("measured against predicted", column("deviation"), signed,
            f"within {share(DEVIATION)}", lambda value: abs(value) <= DEVIATION),
        row("async / max(G, C + F)", column("to_bound"), "{:.3f}".format),
        row("wrong tokens", column("wrong"), "{:.0f}".format, "0", lambda value: value == 0),
    ]  # fmt: skip
    if tracing:
        of = f"below {share(OVERHEAD)}"
        found += [
            row("spans, wall time", [pair.wall for pair in tracing], signed, of,
                lambda value: value < OVERHEAD, most_error=OVERHEAD),
            row("spans, processor time", [pair.processor for pair in tracing], signed),
            row("spans, counted", [pair.counted for pair in tracing], signed, of,
                lambda value: value < OVERHEAD, most_error=OVERHEAD),
        ]  # fmt: skip
    return found


def share(value: float) -> str:
    """0.984 -> "98.4 %"."""
    return f"{100 * value:.1f} %"


def signed(value: float) -> str:
    """0.012 -> "+1.2 %"."""
    return f"{100 * value:+.1f} %"


def page(config: RunConfig, found: Sequence[Row], repeat: int, loads: tuple[str, str]) -> str:
    """The report as Markdown."""
    count = parameters(RANDOM[config.model]) if config.model in RANDOM else 0
    size = f" ({count / 1e6:,.1f} million random parameters)" if count else ""
    return f"""# Overlap, measured

Written by `python -m benchmarks.overlap --device {config.device}`: {repeat} pairs of a synchronous
and an asynchronous run, nothing paced. Medians are held against the goals.

- Machine: {machine()}
- Load: {loads[0]} processes wanted a core in the minute before, {loads[1]} in the last minute.
  On a quiet machine it is below 1 before.
- Work: model `{config.model}`{size}, batch {config.workload.batch}, {config.steps} steps, workload
  `{config.workload.name}`. On `threads` each stream has one CPU thread.
- Predicted: the same two runs on `virtual`, with the cost model fitted from the synchronous one.
- Spans: steps with the host's spans recorded against steps without, {OVERHEAD_PAIRS} pairs of runs
  with the trained model and the default workload. The log of operations is kept in both. "Wall
  time" is the median over a pair's steps, each against the same step without spans. "Counted" is
  what recording one span takes, times the spans of a step, over the time of a step.

{table(("figure", "min", "median", "max", "goal", ""), found)}"""


def main() -> int:
    """Measure and print; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.overlap", description=__doc__)
    parser.add_argument("--device", default="threads", choices=list(DEVICES))
    parser.add_argument("--model", default="6m", choices=MODELS)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--out", type=Path, metavar="FILE.md", help="write the report")
    options = parser.parse_args()
    if missing := DEVICES[options.device].missing():
        print(missing, file=sys.stderr)
        return 2
    config = configure(
        "async", device=options.device, model=options.model, workload="even",
        batch=options.batch, steps=options.steps,
    )  # fmt: skip
    before = load()
    execute(replace(config, steps=4))  # warms up
    on_cpu = DEVICES[options.device].where == "cpu" or options.model == TRAINED
    truth = baseline(config.prediction) if on_cpu else None
    pairs = [measure(config, truth) for _ in range(options.repeat)]
    tracing: list[Overhead] = []
    if DEVICES[options.device].measures:
        default = configure("async", device=options.device, steps=OVERHEAD_STEPS)
        tracing = overheads(default, OVERHEAD_PAIRS)
    found = rows(pairs, tracing)
    text = page(config, found, options.repeat, (before, load()))
    print(text)
    if options.out is not None:
        options.out.write_text(text, encoding="utf-8")
    return int(any(line[-1] == MISSED for line in found))


if __name__ == "__main__":
    sys.exit(main())
