"""How long the race explorer takes for 500 runs of 24 steps.

    python benchmarks/races.py

Times a mode whose runs go wrong at once, one whose race stays hidden, and the correct mode, with
two processes, their start included. Returns 1 where the slowest takes longer than the promised
20 s.
"""

import os
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

from engine import configure  # noqa: E402
from engine.explore import explore  # noqa: E402

PROMISED_S = 20
RUNS = 500
JITTER_PERCENT = 25.0


def seconds(mode: str) -> float:
    """Explore one mode; prints and returns the time by the clock (s)."""
    start = time.perf_counter()
    *_, found = explore(configure(mode, steps=24), JITTER_PERCENT, RUNS, workers=2)
    elapsed = time.perf_counter() - start
    print(f"{mode}: {RUNS} runs in {elapsed:.1f} s, {100 * found.share:.0f} % wrong")
    return elapsed


if __name__ == "__main__":
    sys.exit(int(max(map(seconds, ("no-wait-h2d", "partial-fence", "async"))) > PROMISED_S))
