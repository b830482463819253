"""How long 8,192 steps at batch 32 take when only time is run, sync and async together.

    python -m benchmarks.replay [--steps N] [--batch N] [--repeat N]

Prints seconds of wall time, the best and the median of the repetitions.
"""

import argparse
import statistics
import time

from engine import configure, execute


def seconds(steps: int, batch: int) -> float:
    """Wall time of one synchronous and one asynchronous replay."""
    start = time.perf_counter()
    runs = [
        execute(configure(mode, batch=batch, steps=steps, compute=False))
        for mode in ("sync", "async")
    ]
    elapsed = time.perf_counter() - start
    for run in runs:
        if run.steps != steps:
            raise RuntimeError(f"{run.config.mode} ran {run.steps} of {steps} steps")
    return elapsed


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.replay", description=__doc__)
    parser.add_argument("--steps", type=int, default=8192)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    measured = [seconds(options.steps, options.batch) for _ in range(options.repeat)]
    print(
        f"{options.steps} steps at batch {options.batch}, timing alone, sync and async: "
        f"best {min(measured):.2f} s, median {statistics.median(measured):.2f} s"
    )


if __name__ == "__main__":
    main()
