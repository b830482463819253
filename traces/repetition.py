"""Where a sequence of words begins anew: once a step, some kernel runs that runs only then.

Layers repeat inside a step and steps repeat as well, so the *rarest* word that comes back
at even distance marks the step, not the shortest pattern. Knows nothing of traces.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

MIN_REPEATS = 3
"""Twice may be chance."""

EVEN = 0.1
"""Steps may differ by this share of their length: a longer context splits into more kernels."""

MOST_EVEN = 0.8
"""So many of the distances have to be even: requests come and go between steps."""

COVERED = 0.7
"""The repetition fills this share of the sequence: a burst at its end is no step."""


def beginnings(words: Sequence[str] | Sequence[int]) -> NDArray[np.int64]:
    """Ascending positions at which the sequence begins anew; empty where it does not repeat.

    They are those of the rarest word that comes at least `MIN_REPEATS` times, at even
    distance, over most of the sequence. A recording may cut off a part of one step, so words
    that come once more often count as rare, too; of all these the one that comes first.
    """
    codes = pd.factorize(np.asarray(words))[0]
    if not len(codes):
        return np.empty(0, dtype=np.int64)
    positions = np.argsort(codes, kind="stable")
    counts = np.bincount(codes)
    ends = counts.cumsum()
    found: list[NDArray[np.int64]] = []
    for code in np.argsort(counts, kind="stable").tolist():
        if found and counts[code] > len(found[0]) + 1:
            break
        own = positions[ends[code] - counts[code] : ends[code]]
        if len(own) >= MIN_REPEATS and _is_even(own, len(codes)):
            found.append(own)
    return min(found, key=lambda own: int(own[0])) if found else positions[:0]


def _is_even(positions: NDArray[np.int64], length: int) -> bool:
    distances = np.diff(positions)
    usual = float(np.median(distances))
    even = np.abs(distances - usual) <= EVEN * usual
    covered = positions[-1] - positions[0] + usual
    return bool(even.mean() >= MOST_EVEN and covered >= COVERED * length)
