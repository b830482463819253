"""When requests arrive, counted in engine steps, so that every run sees the same arrivals.

What this module does not know: prompts, lengths, the clock.
"""

import itertools
import random
from collections.abc import Iterator

ARRIVALS = ("even", "poisson")
"""The kinds of arrivals."""


def arrival_steps(kind: str, spread: int, burst: int, seed: int) -> Iterator[int]:
    """Endless arrival steps in ascending order, `burst` requests at each instant.

    "even": every `spread` steps. "poisson": the times between instants are exponential with a
    mean of `spread` steps, so that their number in any stretch follows Poisson's law.
    """
    gaps = itertools.repeat(float(spread)) if kind == "even" else _exponential(spread, seed)
    for instant in itertools.accumulate(gaps, initial=0.0):
        yield from itertools.repeat(int(instant), burst)


def _exponential(mean: int, seed: int) -> Iterator[float]:
    chooser = random.Random(f"arrivals {seed}")
    while True:
        yield chooser.expovariate(1 / mean) if mean else 0.0
