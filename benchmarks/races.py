"""How long the race explorer takes for 500 runs of 24 steps.

    python -m benchmarks.races [--all]

Times the correct mode, a mode whose runs go wrong at once, one whose race stays hidden and the
slowest one, with two processes; `--all` times every mode that races. The first line has the start
of the processes in it, which are kept from then on. Returns 1 where the slowest takes longer than
the promised 20 s.
"""

import os
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

from engine import configure  # noqa: E402
from engine.modes.table import MODES  # noqa: E402
from engine.timings.explore import explore  # noqa: E402

PROMISED_S = 20
RUNS = 500
WORKERS = 2
JITTER_PERCENT = 25.0
FEW = ("async", "no-wait-h2d", "partial-fence", "graphs-at-once")
RACING = tuple(mode.name for mode in MODES.values() if "H" in mode.expect)


def seconds(mode: str) -> float:
    """Explore one mode; prints and returns the time by the clock (s)."""
    start = time.perf_counter()
    *_, found = explore(configure(mode, steps=24), JITTER_PERCENT, RUNS, WORKERS)
    elapsed = time.perf_counter() - start
    print(f"{mode}: {RUNS} runs in {elapsed:.1f} s, {100 * found.share:.0f} % wrong", flush=True)
    return elapsed


if __name__ == "__main__":
    modes = ("async", *RACING) if "--all" in sys.argv else FEW
    sys.exit(int(max(map(seconds, modes)) > PROMISED_S))
