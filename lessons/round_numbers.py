"""Round numbers for bins and axes: 1, 2, 5, 10, 20, 50, and so on, and as far down."""

from math import floor, log10


def next_round(value: float) -> float:
    """The next round number from a value up; 1 where there is nothing to measure by."""
    if value <= 0:
        return 1.0
    power = 10.0 ** floor(log10(value))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= value * (1 - 1e-9))
